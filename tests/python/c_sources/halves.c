#include <errno.h>

static double half(double x) { return x / 2; }

int halves(const float* restrict x, float* restrict z, int n) {
  if (n > 3) return E2BIG;
  for (int i = 0; i < n; ++i) z[i] = (float)half(x[i]);
  return 0;
}
