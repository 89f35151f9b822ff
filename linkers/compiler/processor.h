// processor.h: the features by which processors differ for one compiled file.
#pragma once

#include <string>

namespace thunkvm {

/// The processor's model and features as it reports them, as text of no further meaning: if it is
/// the same, `-march=native` means the same. A cheap stand-in for asking the compiler.
std::string processor_fingerprint();

}  // namespace thunkvm
