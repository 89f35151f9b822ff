// c_template.h: the C of an elementwise Op.
//
// An elementwise Op gives a *template*: the C11 expression of one element of its output.
//
//   {0} {1} ...  the element of each input: a variable, or a parenthesised expression; read as
//                often as the template likes
//   {T}          the C type of the output: f64, f32, i64 ... u8 (bool is a u8 that is 0 or 1)
//   {U}          the unsigned type in which sums and products of {T} wrap around: u32 or u64
//
// It has no side effect and no undefined behaviour for any values, calls nothing but functions of
// libm and gcc's builtins, and gives the same bits as the kernel. In a nest it stands in the middle
// of a vectorised loop, so it calls nothing there but builtins that are one instruction. It is
// written beside the C++ that it repeats:
//
//   struct Subtract {
//     template <class T>
//     static constexpr const char* c() {
//       return std::is_integral_v<T> ? "({T})(({U}){0} - ({U}){1})" : "{0} - {1}";
//     }
//     template <class T>
//     T operator()(T a, T b) const { ... }
//   };
//
// An Op that does not fit an expression has a *whole function*, which the template of numbers
// (c_number) calls as {F}. It stands once in each module that needs it, under a name of its own;
// {F}, {T} and {U} are filled in in it too. It may call libm. As Python's and NumPy's remainder of
// floats:
//
//   template <class T>
//   static constexpr const char* c_function() {
//     return "static inline {T} {F}({T} a, {T} b) {\n"
//            "  const {T} rest = fmod(a, b);\n"
//            "  ...\n"
//            "}\n";
//   }
//   template <class T>
//   static constexpr const char* c_number() { return "{F}({0}, {1})"; }
//
// An elementwise Op without a template is a member of nests all the same: its element function is
// called for a block of elements at a time. An Op that is not elementwise is called as a whole.
#pragma once

#include "thunks/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// "f64" for Float64, "u8" for Bool; null where the dtype has no type in C (float16, complex,
/// object).
const char* c_type(DType dtype);
/// C that declares the types of `c_type`: i8 to i64, u8 to u64, f32, f64. It needs nothing in front
/// of it.
extern const char* const kCTypes;
/// C that declares the functions of libm which templates may call: `exp` of an f64, `expf` of an
/// f32. It needs nothing in front of it.
extern const char* const kLibmDeclarations;
/// The type of {U} for {T}.
const char* c_wrapping_type(DType dtype);

/// The name of the whole function of an Op for a dtype: "mod_f64".
std::string c_function_name(std::string_view op, DType output);

/// A template, or a whole function, in pieces.
class CTemplate {
 public:
  struct Piece {
    enum class Kind : std::uint8_t { Text, Input, Type, WrappingType, Function };
    Kind kind;
    std::uint32_t input = 0;  ///< which of them
    std::string_view text{};  ///< C as it is; braces in it are C's own
  };

  /// `text` is one that outlives this.
  explicit CTemplate(std::string_view text);

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// The inputs (bits) that it reads.
  std::uint32_t inputs_read() const { return inputs_read_; }
  /// The C for an Op of this name with this output and these inputs.
  std::string fill(std::string_view op, DType output,
                   std::span<const std::string> inputs = {}) const;

 private:
  std::vector<Piece> pieces_;
  std::uint32_t inputs_read_ = 0;
};

}  // namespace thunkvm
