"""The rules of loops, each broken where it is kept, and the test that sees it."""

from __future__ import annotations

from broken_tree import Mutant

#: As arguments of pytest.
RANDOM_GRAPHS = (
    "tests/fuzz/test_loop_graphs.py::"
    "test_loops_compute_what_is_demanded_once_in_each_step[FAST_COMPILE]",
    "--fuzz=200",
)
_SCOPE = "tests/python/test_loop_scope.py::test_"
_REGIONS = "ops/graph/regions.cpp"
_BUILDER = "linkers/schedule/schedule_builder.cpp"

LOOP_MUTANTS = [
    Mutant(
        "no lift by scope",
        "what does not change from step to step is computed outside of the loop",
        ((_REGIONS, "common = out_of_loops(lowest, loop);", "common = lowest;"),),
        _SCOPE + "a_value_that_does_not_change_is_computed_once_for_all_steps",
    ),
    Mutant(
        "certain wherever all demands are one region",
        "a value that is lifted out of an arm is computed at its first need only",
        ((_REGIONS, "if (same && common == lowest) return", "if (same) return"),),
        _SCOPE + "a_value_that_does_not_change_is_not_computed_before_a_step_needs_it",
    ),
    Mutant(
        "first values all at entry",
        "a first value is computed where it is read before any step wrote the state",
        (
            (
                "ops/control/loop_opening.cpp",
                "first.is_leaf() ? first : Variable()",
                "first",
            ),
            (
                "ops/control/loop_opening.cpp",
                "first.is_leaf() ? leaf : ifelse(is_first(), first, leaf)",
                "leaf",
            ),
            (
                "linkers/schedule/placement.cpp",
                "    const Region body = p_.regions.first_arm(\n",
                "    for (std::uint32_t i = 0; i < loop.n_given(); ++i)\n"
                "      use(graph_.input(node, loop.given(i)), region, first);\n"
                "    const Region body = p_.regions.first_arm(\n",
            ),
            (
                "linkers/schedule/lowering.cpp",
                "      b_.loop(node);\n",
                "      for (std::uint32_t i = 0; i < graph_.loop(node)->n_given(); ++i)\n"
                "        demand(graph_.input(node, graph_.loop(node)->given(i)));\n"
                "      b_.loop(node);\n",
            ),
        ),
        _SCOPE + "a_first_value_that_steps_alone_read_is_not_computed_where_none_runs",
    ),
    Mutant(
        "bodies begun anew by the place of their code",
        "a step begins anew what changes in it, not what it happens to need first",
        (
            (
                _BUILDER,
                "s_.memos.push_back({kNone, program_node_[node], loop_around(node)});",
                "s_.memos.push_back({kNone, program_node_[node], s_.loop_of_block(open_block())});",
            ),
        ),
        _SCOPE + "a_value_that_steps_need_one_after_another_is_there_from_the_first_of_them",
    ),
    Mutant(
        "no body begun anew",
        "a body that belongs to a step has not run when the next step begins",
        (
            (
                "vm/frame.cpp",
                "for (const std::uint32_t body : loop.bodies) done_[body] = 0;",
                "",
            ),
        ),
        _SCOPE + "a_value_that_two_arms_of_a_step_share_is_computed_anew_in_the_next_one",
    ),
    Mutant(
        "states moved one after the other",
        "the next values are moved to the states all at once",
        (
            (
                _BUILDER,
                "std::ranges::find_if(moves, [&](const auto& move) { return !is_read(move.first); "
                "});",
                "moves.begin();",
            ),
        ),
        _SCOPE + "states_change_places_all_at_once",
    ),
    Mutant(
        "contents of a failed body by who needs them",
        "a failure in a step leaves the values of bodies outside of the loop where they are",
        (
            (
                "linkers/schedule/body_contents.cpp",
                "return tree.out_of_loops(around,\n",
                "return around; (void)(0,\n",
            ),
        ),
        _SCOPE + "a_value_of_all_steps_outlives_the_failure_of_one",
        random=False,  # they fail in none of these
    ),
]
