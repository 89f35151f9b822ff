void nest_0(char *const *block, const tv_value *number, const tv_element_function *call, char *own, i64 n) {
  const i8 *const a0 = (const i8 *)block[0];
  i8 *const o1 = (i8 *)block[1];
  const i8 s0 = number[0].i8;
  const i8 s1 = number[1].i8;
#pragma omp simd
  for (i64 k = 0; k < (n & -16); ++k) {
    const i8 x_a0 = a0[k];
    /* gt.1 */
    const u8 v0 = x_a0 > s0;
    /* sub.2 */
    const i8 v1 = (i8)((u32)x_a0 - (u32)s1);
    /* where.3 */
    const i8 v2 = v0 ? v1 : x_a0;
    o1[k] = v2;
  }
  TV_END_VECTORS;
}

u32 function_0(tv_call *call, u32 label) {
  // R[0] output 0
  // R[1] c, input 0
  // R[2] x, input 1
  // R[3] constant 1 int8
  // R[5] constant 100 int8
  // R[7] constant 100 int8
  // R[10] constant 2 int8
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  u8 r4 = 0;
  /* ifelse.6 */
  if (R[1].value.i8) {
    ++N[1];
    ++N[3];
    /* gt.0 */
    r4 = R[1].value.i8 > R[3].value.i8;
    /* gt.1 */
    /* sub.2 */
    /* where.3 */
    // R[9] from R[2]
    {
      const tv_value numbers[] = {
        {.i8 = R[5].value.i8},
        {.i8 = R[7].value.i8},
      };
      if (S->nest(call, 0, numbers, 0)) return TV_FAILED;
    }
    /* ifelse.5 */
    if (r4) {
      ++N[5];
      ++N[6];
      /* mul.4 */
      // R[0] from R[9], R[10]
      if (S->run(call, 0)) return TV_FAILED;
      TV_RETIRE(R[9]);
    } else {
      ++N[4];
      ++N[2];
      S->move(&R[0], &R[9], 1);
    }
  } else {
    ++N[0];
    ++N[2];
    S->move(&R[0], &R[2], 0);
  }
  return 8;
}
