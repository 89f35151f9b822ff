// standard.h: the headers of the standard library that most sources include, compiled once.
//
// The build gives it to each source of the library and of the C++ tests. A source includes what it
// uses all the same: without precompiled headers (-Db_pch=false) it compiles as well.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
