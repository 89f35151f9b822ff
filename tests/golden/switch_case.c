u32 function_0(tv_call *call, u32 label) {
  // R[0] output 0
  // R[1] i, input 0
  // R[2] x, input 1
  // R[3] constant 1 float64
  // R[4] constant 2 float64
  // R[5] constant 3 float64
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  /* switch.3 */
  switch ((i64)R[1].value.i64) {
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
  return 8;
}
