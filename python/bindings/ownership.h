// ownership.h: which Python objects live through a piece of graph alone, for the garbage collector.
//
// A graph is counted, and Python's collector sees nothing of it. What it has to be told for a cycle
// through an Op that keeps its own function or output to be collected: the Op's object is held by
// this Function, or this Variable, and by nobody else. Where two hold the graph that the object
// hangs on, none is told of: an object that is visited twice, or by one of two holders, could be
// cleared while the other still uses it. So such a cycle stays until one of the two is let go.
#pragma once

#include "python/bindings/python.h"

#include "ops/variable.h"

#include <span>

namespace thunkvm {

/// Visits the objects of users' Ops, and of constants, that go away together with `held`: nodes,
/// each as often as the caller holds it. Looks at no more than kMostOwned nodes, and only at those
/// that nobody else holds.
int visit_owned(std::span<const Apply* const> held, visitproc visit, void* arg);

/// A collection asks each tracked object a few times: what hangs on more nodes than this is left
/// alone.
inline constexpr std::size_t kMostOwned = 20'000;

}  // namespace thunkvm
