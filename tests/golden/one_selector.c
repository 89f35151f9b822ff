u32 function_0(tv_call *call, u32 label) {
  // R[0] output 1
  // R[1] c, input 0
  // R[2] y, input 2
  // R[3] output 0
  // R[4] x, input 1
  // R[5] constant 3 float64
  // R[6] constant 2 float64
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  /* ifelse.0 */
  /* ifelse.3 */
  if (R[1].value.f64 != R[1].value.f64) return S->arm(call, 0, &R[1]), TV_FAILED;
  if (R[1].value.f64) {
    ++N[1];
    ++N[2];
    R[3].value.f64 = R[4].value.f64;
    R[3].meta = TV_F64;
    ++N[4];
    /* mul.2 */
    R[0].value.f64 = R[2].value.f64 * R[6].value.f64;
    R[0].meta = TV_F64;
  } else {
    ++N[0];
    ++N[2];
    R[3].value.f64 = R[2].value.f64;
    R[3].meta = TV_F64;
    ++N[3];
    /* mul.1 */
    R[0].value.f64 = R[4].value.f64 * R[5].value.f64;
    R[0].meta = TV_F64;
  }
  return 6;
}
