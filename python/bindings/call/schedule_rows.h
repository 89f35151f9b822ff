// schedule_rows.h: a function's schedule, for Python to say in words and to make reports by.
#pragma once

#include "linkers/schedule/schedule.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// A dict of lists.
///
///   blocks       (kind, block that it is within or None, owner, node or None, number, number of
///                arms, decoding, whether it is idle): the owner of an arm is its branch, of a memo
///                body or an input that of `memos` or `lazies`; the node is the conditional, or the
///                one of the body; the number says which arm or input it is. Kinds are "root",
///                "arm", "memo", "input" and "guarded", decodings "truth", "index" and "default"
///   node_blocks  by node the block that it runs in, or None
///   branches     (register of the selector, decoding, number of arms, conditional, block)
///   memos        the nodes of memo bodies
///   lazies       the nodes of lazy thunks
///   demanders    by pc the node for which it may have a body run, or None
PyRef schedule_rows(const Schedule& schedule);

}  // namespace thunkvm
