// test_index.cpp: indices of one kind are passed for no other, and look into their own list alone.
#include "linkers/schedule/schedule.h"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace thunkvm {
namespace {

template <class From, class To>
concept PassedFor = std::is_convertible_v<From, To> || std::is_constructible_v<To, From>;
template <class A, class B>
concept Compared = requires(A a, B b) { a == b; } || requires(A a, B b) { a < b; };
template <class List, class I>
concept LooksInto = requires(const List& list, I index) { list[index]; };

/// True if no index of the kind `A` stands for one of the kind `B`, nor is held against it.
template <class A, class B>
inline constexpr bool kApart =
    !PassedFor<A, B> && !PassedFor<B, A> && !Compared<A, B> && !Compared<B, A>;

static_assert(kApart<Pc, StepIndex> && kApart<Pc, ProgramNode> && kApart<Pc, StatementIndex>);
static_assert(kApart<StepIndex, ProgramNode> && kApart<StepIndex, StatementIndex>);
static_assert(kApart<ProgramNode, StatementIndex>);

static_assert(!std::is_convertible_v<std::uint32_t, ProgramNode>);
static_assert(std::is_convertible_v<ProgramNode, std::uint32_t>);
static_assert(std::is_convertible_v<NoIndex, ProgramNode>);
static_assert(Compared<Pc, Pc> && Compared<Pc, NoIndex> && Compared<Pc, std::uint32_t>);
static_assert(sizeof(Pc) == sizeof(std::uint32_t));

using Code = decltype(Program::code);
using Steps = decltype(Program::steps);
using Statements = decltype(Schedule::statements);
using Nodes = decltype(Schedule::nodes);
static_assert(LooksInto<Code, Pc> && !LooksInto<Code, StatementIndex>);
static_assert(LooksInto<Steps, StepIndex> && !LooksInto<Steps, ProgramNode>);
static_assert(LooksInto<Statements, StatementIndex> && !LooksInto<Statements, Pc>);
static_assert(LooksInto<Nodes, ProgramNode> && !LooksInto<Nodes, StepIndex>);
static_assert(!LooksInto<Code, std::uint32_t> && !LooksInto<Code, int>);

TEST_CASE("an index begins as that of nothing, and counts from a number") {
  CHECK(Pc() == kNone);
  CHECK(Pc(7) + 1 == Pc(8));
  CHECK(Pc(7) - 1 == Pc(6));
  CHECK(Pc(9) - Pc(7) == 2);
}

TEST_CASE("a vector by indices lists them, and names the one behind the last") {
  const IndexedVector<StepIndex, int> list{10, 20, 30};
  std::vector<int> found;
  for (const StepIndex i : list.indices()) found.push_back(list[i]);
  CHECK(found == std::vector{10, 20, 30});
  CHECK(list.end_index() == StepIndex(3));
}

}  // namespace
}  // namespace thunkvm
