// test_drawing.cpp: pictures of graphs in DOT.
#include "ops/graph/drawing.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

using namespace thunkvm;

TEST_CASE("a drawing is written frames first, then boxes, then arrows") {
  const Drawing drawing{
      .every_box = {{"shape", "box"}},
      .frames = {{.attributes = {{"label", "if c"}}}, {0, {{"label", "if d"}}}},
      .boxes = {{.attributes = {{"label", "x"}}}, {0, {{"label", "exp"}}}, {1, {}}},
      .arrows = {{0, 1}, {1, 2, {{"label", "then"}, {"color", "grey"}}}},
  };
  CHECK(to_dot(drawing) ==
        "digraph G {\n"
        "node [shape=\"box\"];\n"
        "subgraph cluster_0 {\n"
        "label=\"if c\";\n"
        "1;\n"
        "subgraph cluster_1 {\n"
        "label=\"if d\";\n"
        "2;\n"
        "}\n"
        "}\n"
        "0 [label=\"x\"];\n"
        "1 [label=\"exp\"];\n"
        "2;\n"
        "0->1 ;\n"
        "1->2  [label=\"then\" color=\"grey\"];\n"
        "}\n");
}

TEST_CASE("texts of a drawing end neither their quotes nor their line") {
  CHECK(to_dot({.boxes = {{.attributes = {{"label", "a \"b\"\n\\N"}}}}}) ==
        "digraph G {\n0 [label=\"a \\\"b\\\"\\n\\\\N\"];\n}\n");
}

TEST_CASE("arrows of a drawing keep their order") {
  CHECK(to_dot({.boxes = {{}, {}, {}}, .arrows = {{2, 0}, {0, 2}, {1, 0}}}) ==
        "digraph G {\n0;\n1;\n2;\n2->0 ;\n0->2 ;\n1->0 ;\n}\n");
}

TEST_CASE("a drawing with an arrow from nowhere is an error that names it") {
  CHECK_THROWS_WITH_AS((void)to_dot({.boxes = {{}}, .arrows = {{1, 0}}}),
                       "the drawing has no box 1 there", Error);
  CHECK_THROWS_WITH_AS((void)to_dot({.frames = {{.around = 0}}}),
                       "the drawing has no frame 0 there", Error);
}

TEST_CASE("a drawing with a hundred thousand frames in each other is written without recursion") {
  Drawing drawing;
  for (std::uint32_t i = 0; i < 100'000; ++i)
    drawing.frames.push_back({i == 0 ? Drawing::kNoFrame : i - 1});
  CHECK(to_dot(drawing).ends_with("subgraph cluster_99999 {\n" + [] {
    std::string ends;
    for (int i = 0; i < 100'000; ++i) ends += "}\n";
    return ends;
  }() + "}\n"));
}
