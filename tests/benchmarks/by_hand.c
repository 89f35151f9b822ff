/* by_hand.c: the jobs "elementwise" and "mean" as one would write them by hand, in vectors and with
   libmvec. peers.py compiles it for the machine it runs on. */

#if defined(__AVX512F__)
enum { kLanes = 8 };
typedef double vector __attribute__((vector_size(64)));
vector _ZGVeN8v_exp(vector);
vector _ZGVeN8v_log(vector);
#define exp_of _ZGVeN8v_exp
#define log_of _ZGVeN8v_log
#elif defined(__AVX2__)
enum { kLanes = 4 };
typedef double vector __attribute__((vector_size(32)));
vector _ZGVdN4v_exp(vector);
vector _ZGVdN4v_log(vector);
#define exp_of _ZGVdN4v_exp
#define log_of _ZGVdN4v_log
#else
enum { kLanes = 2 };
typedef double vector __attribute__((vector_size(16)));
vector _ZGVbN2v_exp(vector);
vector _ZGVbN2v_log(vector);
#define exp_of _ZGVbN2v_exp
#define log_of _ZGVbN2v_log
#endif
typedef double unaligned __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));

/* out = exp(a) * b + log(b), `times` times over; n is a multiple of 8. */
void exp_b_log(double *out, const double *a, const double *b, long n, long times) {
  for (long t = 0; t < times; ++t)
    for (long i = 0; i < n; i += kLanes) {
      const vector x = *(const unaligned *)(a + i), y = *(const unaligned *)(b + i);
      *(unaligned *)(out + i) = exp_of(x) * y + log_of(y);
    }
}

static double mean_exp(const double *x, long n) {
  vector sums[2] = {};
  for (long i = 0; i < n; i += 2 * kLanes) {
    sums[0] += exp_of(*(const unaligned *)(x + i));
    sums[1] += exp_of(*(const unaligned *)(x + i + kLanes));
  }
  double total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += sums[0][lane] + sums[1][lane];
  return total / (double)n;
}

/* ifelse(a < b, mean(exp(x)), mean(exp(y))); n is a multiple of 16. */
double mean_of_one(double a, double b, const double *x, const double *y, long n) {
  return a < b ? mean_exp(x, n) : mean_exp(y, n);
}

double cos(double);

/* A chain of n cosines. */
double cos_chain(double x, long n) {
  for (long i = 0; i < n; ++i) x = cos(x);
  return x;
}
