#include "linkers/codegen/emit/prelude.h"

#include "ops/graph/c_template.h"
#include "vm/frame.h"
#include "vm/native.h"

#include <cctype>
#include <cstddef>

namespace thunkvm {

// Cells and calls as emitted code declares them.
static_assert(sizeof(Cell) == 16 && offsetof(NativeCall, cells) == 0 &&
              offsetof(NativeCall, counters) == 8 && offsetof(NativeCall, done) == 16 &&
              offsetof(NativeCall, services) == 24 && offsetof(NativeCall, functions) == 32);
static_assert(offsetof(ArrayBody, data) == 8 && offsetof(ArrayBody, dims) == 24 &&
              sizeof(ArrayBody::references) == 4);
static_assert(kComputed == 1);
static_assert(static_cast<int>(Tag::Empty) == 0 && static_cast<int>(Tag::Scalar) == 1);

const char* const kPrelude = R"(#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wtautological-compare"
/* A register: a number and what it is, or a reference (the low byte of meta is 2 or more). An array's `dims` has
   its lengths, then its strides in bytes. */
typedef struct { u32 references; u8 dtype, ndim, contiguous, owner; const char *data; void *buffer; const i64 *dims; } tv_array;
typedef union { const tv_array *array; f64 f64; f32 f32; i64 i64; i32 i32; i16 i16; i8 i8; u64 u64; u32 u32; u16 u16; u8 u8; } tv_value;
typedef struct { tv_value value; u64 meta; } tv_cell;
enum {
  TV_BOOL = 0x0001, TV_I8 = 0x0101, TV_I16 = 0x0201, TV_I32 = 0x0301, TV_I64 = 0x0401,
  TV_U8 = 0x0501, TV_U16 = 0x0601, TV_U32 = 0x0701, TV_U64 = 0x0801, TV_F32 = 0x0a01, TV_F64 = 0x0b01
};

typedef struct tv_call tv_call;
typedef void (*tv_element_function)(char *const *pointers, const i64 *strides, i64 n);
typedef struct {
  int (*run)(tv_call *, u32 steps);
  int (*nest)(tv_call *, u32 nest, const tv_value *numbers, tv_value *results);
  u32 (*arm)(tv_call *, u32 branch, const tv_cell *selector);
  int (*begin_memo)(tv_call *, u32 memo);
  u32 (*fail_memo)(tv_call *, u32 memo);
  void (*move)(tv_cell *to, tv_cell *from, int take);
  void (*clear)(tv_cell *);
  int (*before)(tv_call *, u32 step);
  int (*after)(tv_call *, u32 step);
  void (*lap)(tv_call *, u32 site);
  void (*took)(tv_call *, u32 branch, u32 arm);
  void (*enter_body)(tv_call *, u32 memo, u32 pc);
  void (*leave_body)(tv_call *);
  void (*begin_loop)(tv_call *, u32 loop);
  int (*poll)(tv_call *, u32 steps);
} tv_services;
struct tv_call {
  tv_cell *cells;
  u64 *counters;
  u8 *done;
  const tv_services *services;
  u32 (*const *functions)(tv_call *, u32 label);
};
#define TV_FAILED 0xffffffffu
/* Element i of an axis of n, from its start; below 0: there is none. */
#define TV_AT(i, n) ((i64)(i) < 0 ? (i64)(i) + (n) : (i64)(i) < (n) ? (i64)(i) : -1)
#define TV_COMPUTED 1
/* After wide vectors, what is compiled for narrow ones is slow until this. (-O1 does not see to it.) */
#ifdef __AVX__
#define TV_END_VECTORS __builtin_ia32_vzeroupper()
#else
#define TV_END_VECTORS ((void)0)
#endif

/* A number is computed before the clock is read. */
#define TV_DONE(number) __asm__ volatile("" : : "m"(number))

/* Empties a register. */
#define TV_RETIRE(cell) do { if ((u8)(cell).meta > 1) S->clear(&(cell)); (cell).meta = 0; } while (0)
)";

std::string cell_meta_name(DType dtype) {
  std::string name = dtype == DType::Bool ? "bool" : c_type(dtype);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "TV_" + name;
}

}  // namespace thunkvm
