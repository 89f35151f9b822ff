u32 function_0(tv_call *call, u32 label) {
  // R[0] output 0
  // R[2] x, input 0
  // R[3] y, input 1
  // R[5] constant 1 float64
  // R[8] constant 2 float64
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  f64 r1 = 0, r7 = 0;
  u8 r4 = 0, r6 = 0;
  ++N[0];
  /* gt.0 */
  r4 = R[2].value.f64 > R[3].value.f64;
  /* ifelse.8 */
  if (r4) {
    ++N[2];
    ++N[4];
    /* gt.2 */
    r6 = R[3].value.f64 > R[5].value.f64;
    /* ifelse.6 */
    if (r6) {
      ++N[6];
      ++N[8];
      /* exp.4 */
      r7 = exp(R[3].value.f64);
      /* sub.5 */
      r1 = r7 - R[2].value.f64;
    } else {
      ++N[5];
      ++N[7];
      /* true_div.3 */
      r1 = R[2].value.f64 / R[3].value.f64;
    }
    ++N[9];
    /* mul.7 */
    R[0].value.f64 = r1 * R[8].value.f64;
    R[0].meta = TV_F64;
  } else {
    ++N[1];
    ++N[3];
    /* sub.1 */
    R[0].value.f64 = R[2].value.f64 - R[3].value.f64;
    R[0].meta = TV_F64;
  }
  return 10;
}
