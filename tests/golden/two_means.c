void nest_0(char *const *block, const tv_value *number, const tv_element_function *call, char *own, i64 n) {
  const f64 *const a0 = (const f64 *)block[0];
  f64 *const f1 = (f64 *)block[1];
  /* exp.3 */
  call[0]((char *[]){(char *)a0, (char *)f1}, (const i64[]){8, 8}, n);
}

u32 function_0(tv_call *call, u32 label) {
  // R[0] output 0
  // R[1] a, input 0
  // R[2] b, input 1
  // R[4] y, input 3
  // R[6] x, input 2
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  u8 r3 = 0;
  ++N[0];
  /* lt.0 */
  r3 = R[1].value.f64 < R[2].value.f64;
  /* ifelse.5 */
  if (r3) {
    ++N[2];
    ++N[4];
    /* exp.3 */
    /* mean.4 */
    // R[0] from R[6]
    {
      tv_value results[1];
      if (S->nest(call, 0, 0, results)) return TV_FAILED;
      R[0].value.f64 = results[0].f64;
      R[0].meta = TV_F64;
    }
  } else {
    ++N[1];
    ++N[3];
    /* exp.1 */
    /* mean.2 */
    // R[0] from R[4], by nest_0
    {
      tv_value results[1];
      if (S->nest(call, 1, 0, results)) return TV_FAILED;
      R[0].value.f64 = results[0].f64;
      R[0].meta = TV_F64;
    }
  }
  return 5;
}
