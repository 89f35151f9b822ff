// indexing.cpp: reading basic indices, and finding the part of an array that they mean.
#include "ops/indexing/indexing.h"

#include "thunks/error.h"

#include <algorithm>
#include <charconv>

namespace thunkvm {

namespace {

/// The start and the number of elements of a slice of an axis, by Python's rules.
struct SliceRange {
  std::int64_t start;
  std::int64_t count;
};

SliceRange slice_range(std::int64_t length, std::optional<std::int64_t> start,
                       std::optional<std::int64_t> stop, std::int64_t step) {
  const std::int64_t lowest = step < 0 ? -1 : 0;
  const std::int64_t highest = step < 0 ? length - 1 : length;
  const auto bound = [&](std::optional<std::int64_t> given, std::int64_t otherwise) {
    if (!given) return otherwise;
    const std::int64_t from_front = *given < 0 ? *given + length : *given;
    return std::clamp(from_front, lowest, highest);
  };
  const std::int64_t first = bound(start, step < 0 ? highest : lowest);
  const std::int64_t end = bound(stop, step < 0 ? lowest : highest);
  if (step == 1) return {first, std::max<std::int64_t>(end - first, 0)};  // a division less
  std::int64_t count = 0;
  // Unsigned: the distance is not negative, and minus the smallest step has no int64.
  if (step > 0 && first < end)
    count = (end - first - 1) / step + 1;
  else if (step < 0 && end < first)
    count = static_cast<std::int64_t>(static_cast<std::uint64_t>(first - end - 1) /
                                      (std::uint64_t{0} - static_cast<std::uint64_t>(step))) +
            1;
  return {first, count};
}

IndexNumber literal(std::int64_t value) { return {IndexNumber::From::Literal, value}; }
/// What is written down, or left out for this; nothing for an input.
std::optional<std::int64_t> written_down(const IndexNumber& number, std::int64_t left_out) {
  if (number.from == IndexNumber::From::Absent) return left_out;
  return number.from == IndexNumber::From::Literal ? std::optional(number.value) : std::nullopt;
}

/// The plainest slice that picks as many elements of any axis: of x[1:-1] that is x[:-2], as of
/// x[2:]. So values of slices that have one length in every call are known to.
IndexItem plainest_of_length(const IndexItem& slice) {
  IndexItem plain;
  const auto start = written_down(slice.start, 0), stop = written_down(slice.stop, 0);
  const auto step = written_down(slice.step, 1);
  const bool to_end = slice.stop.from == IndexNumber::From::Absent;
  if (step == -1 && slice.start.from == IndexNumber::From::Absent && to_end) return plain;
  if (step != 1 || !start || !stop) return slice;
  std::int64_t end = 0;
  if (*start < 0) {  // the last ones: as many as the first ones
    if (!to_end || __builtin_sub_overflow(std::int64_t{0}, *start, &end)) return slice;
    plain.stop = literal(end);
  } else if (to_end || *stop < 0) {
    if (__builtin_sub_overflow(*stop, *start, &end)) return slice;
    if (end != 0) plain.stop = literal(end);
  } else {
    if (*start != 0) plain.start = slice.start;
    plain.stop = slice.stop;
  }
  return plain;
}

[[noreturn]] void no_item(const std::string& op, const std::string& text) {
  throw Error(ErrorKind::Value, "[" + op + "] '" + text +
                                    "' is no item of an index: use an integer, "
                                    "a slice like '1:5:2' or ':', 'newaxis' or '...', with '?' for "
                                    "an integer that is an input");
}

/// Reads items one after the other, and numbers the inputs in them.
class IndexParser {
 public:
  explicit IndexParser(const std::string& op) : op_(op) {}

  IndexItem item(const std::string& text) {
    using Kind = IndexItem::Kind;
    if (text == "newaxis") return {.kind = Kind::NewAxis};
    if (text == "...") return {.kind = Kind::Ellipsis};
    if (text == "[]") return {.kind = Kind::Array, .start = next_input()};
    std::vector<std::string> fields(1);
    for (char c : text) {
      if (c == ':')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    if (text.empty() || fields.size() > 3) no_item(op_, text);
    IndexItem item{.kind = fields.size() == 1 ? Kind::Integer : Kind::Slice};
    item.start = number(fields[0], text);
    if (fields.size() > 1) item.stop = number(fields[1], text);
    if (fields.size() > 2) item.step = number(fields[2], text);
    return item;
  }

 private:
  IndexNumber next_input() { return {IndexNumber::From::Input, n_inputs_++}; }
  IndexNumber number(const std::string& field, const std::string& item) {
    if (field.empty()) return {};
    if (field == "?") return next_input();
    IndexNumber number = literal(0);
    const char* last = field.data() + field.size();
    const auto [end, error] = std::from_chars(field.data(), last, number.value);
    if (error != std::errc() || end != last) no_item(op_, item);
    return number;
  }

  const std::string& op_;
  std::int64_t n_inputs_ = 0;
};

std::string text_of(const IndexNumber& number) {
  if (number.from == IndexNumber::From::Absent) return "";
  return number.is_input() ? "?" : std::to_string(number.value);
}

}  // namespace

std::vector<std::size_t> IndexItem::inputs() const {
  std::vector<std::size_t> all;
  for (const IndexNumber& number : {start, stop, step})
    if (number.is_input()) all.push_back(static_cast<std::size_t>(number.value));
  return all;
}

std::string IndexItem::text() const {
  switch (kind) {
    case Kind::Integer: return text_of(start);
    case Kind::NewAxis: return "newaxis";
    case Kind::Ellipsis: return "...";
    case Kind::Array: return "[]";
    case Kind::Slice: break;
  }
  const std::string by = text_of(step);
  return text_of(start) + ":" + text_of(stop) + (by.empty() ? "" : ":" + by);
}

IndexItems parse_index(const std::string& op, const std::vector<std::string>& texts) {
  IndexParser parser(op);
  IndexItems items;
  for (const std::string& text : texts) items.push_back(parser.item(text));
  return items;
}

std::vector<std::string> index_texts(const IndexItems& items) {
  std::vector<std::string> texts;
  for (const IndexItem& item : items) texts.push_back(item.text());
  return texts;
}

BasicIndex::BasicIndex(std::string op, const IndexItems& items, int ndim) : op_(std::move(op)) {
  IndexItems written = items;
  int used = 0, ellipses = 0;
  for (const IndexItem& item : items) {
    const IndexItem::Kind kind = item.kind;
    if (kind == IndexItem::Kind::Array) no_item(op_, item.text());
    n_inputs_ += static_cast<int>(item.inputs().size());
    if (kind == IndexItem::Kind::Integer || kind == IndexItem::Kind::Slice) ++used;
    if (kind == IndexItem::Kind::Ellipsis) ++ellipses;
  }
  if (ellipses > 1)
    throw Error(ErrorKind::Index, "[" + op_ + "] an index can only have a single ellipsis ('...')");
  if (used > ndim)
    throw Error(ErrorKind::Index, "[" + op_ + "] too many indices for array: array is " +
                                      std::to_string(ndim) + "-dimensional, but " +
                                      std::to_string(used) + " were indexed");
  if (ellipses == 0) written.push_back({.kind = IndexItem::Kind::Ellipsis});
  for (const IndexItem& item : written) {
    if (item.kind == IndexItem::Kind::Ellipsis)
      items_.resize(items_.size() + static_cast<std::size_t>(ndim - used));
    else
      items_.push_back(item);
  }
}

int BasicIndex::result_ndim() const {
  return static_cast<int>(std::count_if(items_.begin(), items_.end(), [](const IndexItem& item) {
    return item.kind != IndexItem::Kind::Integer;
  }));
}

void BasicIndex::find(const Layout& x, std::span<const std::int64_t> inputs, View& part) const {
  part.data = x.data;
  const auto value = [&](const IndexNumber& number) -> std::optional<std::int64_t> {
    if (number.from == IndexNumber::From::Absent) return std::nullopt;
    if (number.from == IndexNumber::From::Literal) return number.value;
    return inputs[static_cast<std::size_t>(number.value)];
  };
  std::size_t axis = 0;
  for (const IndexItem& item : items_) {
    if (item.kind == IndexItem::Kind::NewAxis) {
      part.append(1, 0);
      continue;
    }
    const std::int64_t length = x.lengths[axis];
    const std::int64_t stride = x.strides[axis];
    if (item.kind == IndexItem::Kind::Integer) {
      const std::int64_t i = *value(item.start);
      if (i < -length || i >= length)
        throw Error(ErrorKind::Index, "[" + op_ + "] index " + std::to_string(i) +
                                          " is out of bounds for axis " + std::to_string(axis) +
                                          " with size " + std::to_string(length));
      part.data += (i < 0 ? i + length : i) * stride;
    } else {
      const std::int64_t step = value(item.step).value_or(1);
      if (step == 0)
        throw Error(ErrorKind::Value,
                    "[" + op_ + "] slice step cannot be zero (axis " + std::to_string(axis) + ")");
      const SliceRange range = slice_range(length, value(item.start), value(item.stop), step);
      part.append(range.count, range.count > 1 ? stride * step : stride);
      if (range.count > 0) part.data += range.start * stride;
    }
    ++axis;
  }
}

std::vector<std::int64_t> BasicIndex::known_lengths(
    std::span<const std::int64_t> shape,
    std::span<const std::optional<std::int64_t>> inputs) const {
  std::vector<std::int64_t> lengths;
  std::size_t axis = 0;
  for (const IndexItem& item : items_) {
    if (item.kind == IndexItem::Kind::NewAxis) {
      lengths.push_back(1);
      continue;
    }
    const std::int64_t length = shape[axis++];
    bool known = length >= 0;
    const auto value = [&](const IndexNumber& number) -> std::optional<std::int64_t> {
      if (number.from == IndexNumber::From::Absent) return std::nullopt;
      if (number.from == IndexNumber::From::Literal) return number.value;
      const auto input = inputs[static_cast<std::size_t>(number.value)];
      known = known && input.has_value();
      return input;
    };
    const auto start = value(item.start);
    if (item.kind == IndexItem::Kind::Integer) {
      if (known && (*start < -length || *start >= length))
        throw Error(ErrorKind::Index, "[" + op_ + "] index " + std::to_string(*start) +
                                          " is out of bounds for axis " + std::to_string(axis - 1) +
                                          " with size " + std::to_string(length));
      continue;
    }
    const auto stop = value(item.stop);
    const auto step = value(item.step);
    if (step && *step == 0)
      throw Error(ErrorKind::Value, "[" + op_ + "] slice step cannot be zero (axis " +
                                        std::to_string(axis - 1) + ")");
    lengths.push_back(known ? slice_range(length, start, stop, step.value_or(1)).count : -1);
  }
  return lengths;
}

Extents BasicIndex::extents(const Extents& x, std::span<const Variable> inputs) const {
  Extents lengths;
  std::size_t axis = 0;
  for (const IndexItem& item : items_) {
    if (item.kind == IndexItem::Kind::NewAxis) {
      lengths.push_back(extent(1));
      continue;
    }
    const Variable& length = x[axis++];
    if (item.kind == IndexItem::Kind::Integer) continue;
    const IndexItem slice = plainest_of_length(item);
    if (slice == IndexItem{}) {  // all of the axis
      lengths.push_back(length);
      continue;
    }
    std::vector<Variable> integers{length};
    for (const std::size_t input : slice.inputs()) integers.push_back(inputs[input]);
    lengths.push_back(
        call_op("slice_length", std::span<const Variable>(integers), {{"slice", slice.text()}}));
  }
  return lengths;
}

std::optional<std::vector<std::int64_t>> BasicIndex::picked(std::int64_t length) const {
  if (n_inputs_ > 0 || items_.size() != 1 || length < 0) return std::nullopt;
  const IndexItem& item = items_[0];
  const auto value = [](const IndexNumber& number) {
    return number.from == IndexNumber::From::Absent ? std::nullopt : std::optional(number.value);
  };
  std::vector<std::int64_t> positions;
  if (item.kind == IndexItem::Kind::Integer) {
    const std::int64_t i = item.start.value;
    if (i < -length || i >= length) return std::nullopt;
    positions.push_back(i < 0 ? i + length : i);
  } else {
    const std::int64_t step = value(item.step).value_or(1);
    if (step == 0) return std::nullopt;
    const SliceRange range = slice_range(length, value(item.start), value(item.stop), step);
    for (std::int64_t k = 0; k < range.count; ++k) positions.push_back(range.start + k * step);
  }
  return positions;
}

std::int64_t slice_length(std::int64_t length, std::optional<std::int64_t> start,
                          std::optional<std::int64_t> stop, std::int64_t step) {
  if (step == 0) throw Error(ErrorKind::Value, "[slice_length] slice step cannot be zero");
  return slice_range(length, start, stop, step).count;
}

Variable value_for_part(const std::string& op, const Variable& value, const Variable& x,
                        const StaticShape& part) {
  const DType dtype = x.dtype();
  const bool fits = value.weak() ? promote_weak(dtype, kind(value.dtype())) == dtype
                                 : promote(dtype, value.dtype()) == dtype ||
                                       (is_integral(value.dtype()) && is_inexact(dtype));
  if (!fits)
    throw Error(ErrorKind::Type, "[" + op + "] a value of dtype " +
                                     std::string(name(value.dtype())) +
                                     " does not fit into an array of dtype " +
                                     std::string(name(dtype)) + ": cast one of them");
  const StaticShape& shape = value.static_shape();
  bool broadcasts = shape.size() <= part.size();
  for (std::size_t i = 0; broadcasts && i < shape.size(); ++i) {
    const std::int64_t to = part[part.size() - shape.size() + i];
    broadcasts = shape[i] < 0 || shape[i] == 1 || to < 0 || shape[i] == to;
  }
  if (!broadcasts)
    throw Error(ErrorKind::Value, "[" + op + "] could not broadcast a value of type " +
                                      value.type().text() + " into a part of a " + x.type().text() +
                                      ", which is a " + TensorType::of(dtype, part)->text());
  return cast_now(value, dtype);
}

}  // namespace thunkvm
