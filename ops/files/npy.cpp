#include "ops/files/npy.h"

#include "ops/descriptions/graph_file_error.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace thunkvm {
namespace {

static_assert(std::endian::native == std::endian::little, "npy files have its order of bytes");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the elements in a file

// NumPy's letters for the dtypes, in the order of DType.
constexpr std::string_view kDescriptions[kNumericDTypes] = {"|b1", "|i1", "<i2", "<i4", "<i8",
                                                            "|u1", "<u2", "<u4", "<u8", "<f2",
                                                            "<f4", "<f8", "<c8", "<c16"};

[[noreturn]] void refuse(const std::string& reason) {
  throw GraphFileError("it is no array: " + printable(reason));
}

/// The header of a file: a dict of Python's, of three keys whose values are plain.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  void read() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        read_dtype();
      } else if (key == "fortran_order") {
        is_fortran = word() == "True";
      } else if (key == "shape") {
        read_shape();
      } else {
        refuse("its header has the key '" + std::string(key) + "'");
      }
      if (!accept(',') && peek() != '}') refuse("its header is no dict");
    }
    if (dtype == DType::Object || !has_shape_) refuse("its header has no dtype, or no shape");
  }

  DType dtype = DType::Object;  ///< which no file has: none was read yet
  std::vector<std::int64_t> shape;
  bool is_fortran = false;

 private:
  char peek() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }
  bool accept(char letter) {
    if (peek() != letter) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char letter) {
    if (!accept(letter))
      refuse(std::string("its header has no '") + letter + "' where one belongs");
  }
  std::string_view up_to(std::size_t end) {
    if (end == std::string_view::npos) refuse("its header ends too early");
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end);
    return found;
  }
  std::string_view quoted() {
    expect('\'');
    const std::string_view found = up_to(text_.find('\''));
    text_.remove_prefix(1);
    return found;
  }
  std::string_view word() {
    peek();
    return up_to(text_.find_first_of(",}) "));
  }

  void read_dtype() {
    if (peek() != '\'') refuse("its elements are records");
    std::string description(quoted());
    if (!description.empty() && description[0] == '=') description[0] = '<';
    const auto* const found = std::ranges::find(kDescriptions, description);
    if (found == std::end(kDescriptions)) refuse("its elements are '" + description + "'");
    dtype = static_cast<DType>(found - kDescriptions);
  }

  void read_shape() {
    expect('(');
    has_shape_ = true;
    shape.clear();
    while (!accept(')')) {
      std::int64_t length = -1;
      const std::string_view digits = word();
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), length);
      if (error != std::errc{} || end != digits.data() + digits.size() || length < 0)
        refuse("its shape has the length '" + std::string(digits) + "'");
      shape.push_back(length);
      if (!accept(',') && peek() != ')') refuse("its shape is no tuple");
    }
  }

  std::string_view text_;
  bool has_shape_ = false;
};

// The bytes of so many elements; nothing where that is more than a number holds.
std::optional<std::uint64_t> bytes_of(DType dtype, const std::vector<std::int64_t>& shape) {
  std::uint64_t bytes = item_size(dtype);
  for (const std::int64_t length : shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) return {};
  return bytes;
}

// An array whose first axis lies densest, as one in C order.
Array in_c_order(const Array& transposed) {
  const std::vector<std::int64_t> shape(transposed.shape().rbegin(), transposed.shape().rend());
  const std::vector<std::int64_t> strides(transposed.strides().rbegin(),
                                          transposed.strides().rend());
  return transposed.view(shape, strides, transposed.data()).as_contiguous();
}

}  // namespace

Array array_of_npy(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) refuse("it does not begin as one");
  const auto byte = [&](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(bytes[at])};
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) refuse("its version is " + std::to_string(version));
  std::size_t length = byte(8) | byte(9) << 8, start = 10;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24, start = 12;
  if (length > bytes.size() - start) refuse("its header ends too early");
  Header header(bytes.substr(start, length));
  header.read();
  bytes.remove_prefix(start + length);
  const std::optional<std::uint64_t> size = bytes_of(header.dtype, header.shape);
  if (size != bytes.size())
    refuse("it has " + std::to_string(bytes.size()) + " bytes of elements, not those of its shape");
  std::vector<std::int64_t> shape = header.shape;
  if (header.is_fortran) std::ranges::reverse(shape);
  const Array array = Array::allocate(header.dtype, shape);
  if (!bytes.empty()) std::memcpy(array.data(), bytes.data(), bytes.size());
  return header.is_fortran ? in_c_order(array) : array;
}

std::string npy_of(const Array& array) {
  const Array dense = array.as_contiguous();
  std::string shape;
  for (const std::int64_t length : dense.shape())
    shape += (shape.empty() ? "" : " ") + std::to_string(length) + ",";
  if (dense.ndim() > 1) shape.pop_back();
  std::string header = "{'descr': '" +
                       std::string(kDescriptions[static_cast<std::size_t>(dense.dtype())]) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t start = kMagic.size() + 4;
  header.append(kAlignment - 1 - (start + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  return bytes.append(dense.data(), dense.bytes());
}

}  // namespace thunkvm
