#include "ops/graph/c_template.h"

#include <limits>
#include <optional>

namespace thunkvm {
namespace {

using Piece = CTemplate::Piece;

// What "0" or "T" between braces stands for; nothing where these are C's own.
std::optional<Piece> placeholder(std::string_view name) {
  if (name == "T") return Piece{.kind = Piece::Kind::Type};
  if (name == "U") return Piece{.kind = Piece::Kind::WrappingType};
  if (name == "F") return Piece{.kind = Piece::Kind::Function};
  if (name.empty() || name.size() > 2 || name.find_first_not_of("0123456789") != name.npos)
    return std::nullopt;
  const auto input = static_cast<std::uint32_t>(std::stoul(std::string(name)));
  if (input >= std::numeric_limits<std::uint32_t>::digits) return std::nullopt;
  return Piece{.kind = Piece::Kind::Input, .input = input};
}

}  // namespace

const char* c_type(DType dtype) {
  switch (dtype) {
    case DType::Bool: return "u8";
    case DType::Int8: return "i8";
    case DType::Int16: return "i16";
    case DType::Int32: return "i32";
    case DType::Int64: return "i64";
    case DType::UInt8: return "u8";
    case DType::UInt16: return "u16";
    case DType::UInt32: return "u32";
    case DType::UInt64: return "u64";
    case DType::Float32: return "f32";
    case DType::Float64: return "f64";
    default: return nullptr;
  }
}

const char* const kCTypes = R"(typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
)";

// What users' expressions call comes last; our own name the instruction.
const char* const kLibmDeclarations = R"(#define TV_CONST __attribute__((const))
#define TV_OF_1(name) TV_CONST double name(double); TV_CONST float name##f(float);
#define TV_OF_2(name) TV_CONST double name(double, double); TV_CONST float name##f(float, float);
TV_OF_1(acos) TV_OF_1(acosh) TV_OF_1(asin) TV_OF_1(asinh) TV_OF_1(atan) TV_OF_1(atanh)
TV_OF_1(cbrt) TV_OF_1(cos) TV_OF_1(cosh) TV_OF_1(erf) TV_OF_1(erfc) TV_OF_1(exp) TV_OF_1(exp2)
TV_OF_1(expm1) TV_OF_1(log) TV_OF_1(log10) TV_OF_1(log1p) TV_OF_1(log2) TV_OF_1(sin) TV_OF_1(sinh)
TV_OF_1(tan) TV_OF_1(tanh)
TV_OF_2(atan2) TV_OF_2(fmod) TV_OF_2(hypot) TV_OF_2(pow)
TV_OF_1(ceil) TV_OF_1(fabs) TV_OF_1(floor) TV_OF_1(rint) TV_OF_1(round) TV_OF_1(sqrt)
TV_OF_1(trunc)
TV_OF_2(copysign) TV_OF_2(fmax) TV_OF_2(fmin)
)";

const char* c_wrapping_type(DType dtype) { return item_size(dtype) > 4 ? "u64" : "u32"; }

std::string c_function_name(std::string_view op, DType output) {
  return std::string(op) + "_" + (output == DType::Bool ? "bool" : c_type(output));
}

CTemplate::CTemplate(std::string_view text) {
  std::size_t written = 0;  // up to here pieces have it
  const auto add_text = [&](std::size_t end) {
    if (end > written)
      pieces_.push_back({.kind = Piece::Kind::Text, .text = text.substr(written, end - written)});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{') continue;
    const std::size_t end = text.find('}', at);
    if (end == text.npos) break;
    const std::optional<Piece> piece = placeholder(text.substr(at + 1, end - at - 1));
    if (!piece) continue;
    add_text(at);
    pieces_.push_back(*piece);
    if (piece->kind == Piece::Kind::Input) inputs_read_ |= 1u << piece->input;
    written = end + 1;
    at = end;
  }
  add_text(text.size());
}

std::string CTemplate::fill(std::string_view op, DType output,
                            std::span<const std::string> inputs) const {
  std::string result;
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case Piece::Kind::Text: result += piece.text; break;
      case Piece::Kind::Input: result += inputs[piece.input]; break;
      case Piece::Kind::Type: result += c_type(output); break;
      case Piece::Kind::WrappingType: result += c_wrapping_type(output); break;
      case Piece::Kind::Function: result += c_function_name(op, output); break;
    }
  }
  return result;
}

}  // namespace thunkvm
