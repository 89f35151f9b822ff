u32 chunk_0(tv_call *call, u32 label) {
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  /* ifelse.0 */
  if (R[1].value.f64 != R[1].value.f64) return S->arm_of(call, 0, (tv_value){.f64 = R[1].value.f64}, TV_F64);
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
