// mutable_arguments.h: the arguments of a call whose memory the call may use as its own.
#pragma once

#include "linkers/function.h"
#include "ops/graph/type.h"

namespace thunkvm {

/// Lets a call use the memory of the arguments of mutable inputs, which their callers give away.
///
/// The call may write to the memory of such an argument wherever it may write to a value of its
/// own: in the last use of the value, in a node that runs. So the values of a call are the same as
/// without it, and nothing is demanded. The elements after the call are unspecified, after one that
/// failed too. The caller may rely on neither: what was overwritten is up to the mode.
///
/// A call gets the memory of
/// - an array that the input takes as it is: an ndarray, or an object that shows its memory as one.
///   What was converted is a copy, and the call's in any case: another dtype or byte order, a list.
///   An opaque object is copied as ever.
/// - that is writable, and not the input's default.
/// - that has no byte in common with another argument or a shared variable that the function reads,
///   from its first element to its last. So two mutable arguments in the same memory are both only
///   read, and so is one beside an argument that is not mutable. Arrays in opaque objects are not
///   looked for.
/// A program that keeps intermediates (`_nogc`), runs by need (`py`) or is watched by a tracer has
/// no mutable inputs: it knows no last uses, or leaves its inputs as they are.
///
/// The memory stays the caller's: what a shared variable keeps, and an output that is not borrowed,
/// is copied out of it. A borrowed output may be in it, and is the argument itself if it is all of
/// it.
///
/// To be called after the arguments and the shared variables were read, before the program runs.
void give_mutable_arguments(Call& call, const Program& program);

/// True if it is exclusive, and not in such memory: it may outlive the call.
bool is_own(const Cell& cell);
/// The value itself where that is its own, else a copy.
Cell make_own(Cell cell, const Type& type);

}  // namespace thunkvm
