u32 function_0(tv_call *call, u32 label) {
  // R[0] output 1
  // R[1] output 0
  // R[2] c, input 0
  // R[3] constant 0 float64
  // R[5] x, input 2
  // R[7] constant 1 float64
  // R[8] d, input 1
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  f64 r6 = 0, r10 = 0;
  u8 r4 = 0, r9 = 0;
  u32 from_0 = 0;
  ++N[0];
  /* gt.0 */
  r4 = R[2].value.f64 > R[3].value.f64;
  /* ifelse.4 */
  if (r4) {
    ++N[2];
    // needs mul.2
    if (call->done[0] != TV_COMPUTED) {
      if (S->begin_memo(call, 0)) return TV_FAILED;
      from_0 = 0;
      goto memo_0;
 after_4:;
    }
    ++N[4];
    /* add.3 */
    R[1].value.f64 = r6 + R[7].value.f64;
    R[1].meta = TV_F64;
  } else {
    ++N[1];
    ++N[3];
    R[1].value.f64 = R[5].value.f64;
    R[1].meta = TV_F64;
  }
  ++N[5];
  /* gt.5 */
  r9 = R[8].value.f64 > R[3].value.f64;
  /* ifelse.7 */
  if (r9) {
    ++N[7];
    // needs mul.2
    if (call->done[0] != TV_COMPUTED) {
      if (S->begin_memo(call, 0)) return TV_FAILED;
      from_0 = 1;
      goto memo_0;
 after_11:;
    }
    ++N[8];
    /* sub.6 */
    R[0].value.f64 = r6 - R[7].value.f64;
    R[0].meta = TV_F64;
  } else {
    ++N[6];
    ++N[3];
    R[0].value.f64 = R[5].value.f64;
    R[0].meta = TV_F64;
  }
  return 13;
  // memo 0: mul.2
 memo_0:;
  ++N[9];
  /* sin.1 */
  r10 = sin(R[5].value.f64);
  /* mul.2 */
  r6 = r10 * R[5].value.f64;
  switch (from_0) {
    case 0: goto after_4;
    default: goto after_11;
  }
}
