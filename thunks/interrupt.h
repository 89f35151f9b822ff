// interrupt.h: how a host ends work that is no call: building, differentiating and linking graphs.
// Calls ask their own Host (host.h).
#pragma once

namespace thunkvm {

/// Sets the function that `poll_interrupt` calls, for the whole process; null, as at first: none.
/// The function throws to end the work of the calling thread, and may run any code of the host
/// before.
void set_interrupt_hook(void (*hook)());

/// Asks the host about every thousandth time, which is every few milliseconds where each node asks.
/// Call it where anything may be thrown and any graph may be built, walked or dropped.
void poll_interrupt();

}  // namespace thunkvm
