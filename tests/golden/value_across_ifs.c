u32 function_0(tv_call *call, u32 label) {
  // R[0] output 0
  // R[1] c, input 0
  // R[2] x, input 1
  // R[5] constant 1 float64
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  f64 r3 = 0, r4 = 0, r6 = 0;
  /* ifelse.1 */
  if (R[1].value.f64 != R[1].value.f64) return S->arm(call, 0, &R[1]), TV_FAILED;
  if (R[1].value.f64) {
    ++N[1];
    ++N[3];
    /* mul.0 */
    r4 = R[2].value.f64 * R[2].value.f64;
    ++N[2];
    r3 = r4;
  } else {
    ++N[0];
    ++N[2];
    r3 = R[2].value.f64;
  }
  ++N[4];
  /* add.2 */
  r6 = r3 + R[5].value.f64;
  /* ifelse.4 */
  if (R[1].value.f64 != R[1].value.f64) return S->arm(call, 1, &R[1]), TV_FAILED;
  if (R[1].value.f64) {
    ++N[6];
    ++N[7];
    /* mul.3 */
    R[0].value.f64 = r4 * r6;
    R[0].meta = TV_F64;
  } else {
    ++N[5];
    ++N[2];
    R[0].value.f64 = r6;
    R[0].meta = TV_F64;
  }
  return 10;
}
