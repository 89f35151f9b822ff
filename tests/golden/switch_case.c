u32 chunk_0(tv_call *call, u32 label) {
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  /* switch.3 */
  {
    const u32 arm = S->arm_of(call, 0, (tv_value){.i64 = R[1].value.i64}, TV_I64);
    if (arm == TV_FAILED) return TV_FAILED;
    switch (arm) {
      case 0: {
        ++N[0];
        ++N[4];
        /* add.0 */
        R[0].value.f64 = R[2].value.f64 + R[3].value.f64;
        R[0].meta = TV_F64;
        break;
      }
      case 1: {
        ++N[1];
        ++N[5];
        /* mul.1 */
        R[0].value.f64 = R[2].value.f64 * R[4].value.f64;
        R[0].meta = TV_F64;
        break;
      }
      case 2: {
        ++N[2];
        ++N[6];
        /* sub.2 */
        R[0].value.f64 = R[2].value.f64 - R[5].value.f64;
        R[0].meta = TV_F64;
        break;
      }
      default: {
        ++N[3];
        ++N[7];
        R[0].value.f64 = R[2].value.f64;
        R[0].meta = TV_F64;
      }
    }
  }
  return 8;
}
