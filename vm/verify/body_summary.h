// body_summary.h: what those who enter a body have to know of it.
#pragma once

#include "vm/verify/body_graph.h"
#include "vm/verify/condition.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// A list for each body, each made at once.
template <class T>
class ListByBody {
 public:
  explicit ListByBody(std::size_t n_bodies) : ranges_(n_bodies) {}
  void begin(Entry body) { ranges_[body].first = all_.size(); }
  void add(T item) { all_.push_back(item); }
  void end(Entry body) { ranges_[body].second = all_.size(); }
  std::span<const T> operator[](Entry body) const {
    return {all_.data() + ranges_[body].first, ranges_[body].second - ranges_[body].first};
  }

 private:
  std::vector<T> all_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

/// What the bodies do that bodies around them see, each under conditions on what is decided in the
/// call.
struct BodySummaries {
  /// `missed`: it was untouched since the body was entered, so that bodies around have to have
  /// written it.
  struct Read {
    std::uint32_t index;
    Condition when, missed;
  };
  struct Left {
    std::uint32_t index;
    Condition set, retired;
  };
  struct Retired {
    std::uint32_t index;
    Condition when;
  };
  struct Entrance {
    Entry entry;
    Condition when;
  };

  explicit BodySummaries(std::size_t n_bodies)
      : reads(n_bodies), leaves(n_bodies), retires(n_bodies), enters(n_bodies) {}

  ListByBody<Read> reads;       ///< registers of others
  ListByBody<Left> leaves;      ///< what it wrote that may still be there
  ListByBody<Retired> retires;  ///< registers of others
  ListByBody<Entrance> enters;
};

}  // namespace thunkvm
