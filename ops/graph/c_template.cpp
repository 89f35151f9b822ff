#include "ops/graph/c_template.h"

namespace thunkvm {

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

std::string_view c_placeholder(std::string_view text) {
  if (text.empty() || text[0] != '{') return {};
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, end - 1);
  if (name == "T" || name == "U" || name == "F") return name;
  const bool is_number = !name.empty() && name.size() <= 3 &&
                         name.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? name : std::string_view();
}

std::uint32_t c_inputs_read(std::string_view text) {
  std::uint32_t read = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (const std::string_view name = c_placeholder(text.substr(at));
        !name.empty() && name[0] <= '9')
      read |= 1u << std::stoul(std::string(name));
  return read;
}

const char* c_wrapping_type(DType dtype) { return item_size(dtype) > 4 ? "u64" : "u32"; }

std::string c_function_name(std::string_view op, DType output) {
  return std::string(op) + "_" + (output == DType::Bool ? "bool" : c_type(output));
}

std::string fill_c_template(std::string_view text, std::string_view op, DType output,
                            std::span<const std::string> inputs) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view which = c_placeholder(text.substr(i));
    if (which.empty()) {
      result += text[i];
      continue;
    }
    if (which == "T")
      result += c_type(output);
    else if (which == "U")
      result += c_wrapping_type(output);
    else if (which == "F")
      result += c_function_name(op, output);
    else
      result += inputs[std::stoul(std::string(which))];
    i += which.size() + 1;
  }
  return result;
}

}  // namespace thunkvm
