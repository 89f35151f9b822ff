#include "linkers/codegen/emit/profile_code.h"

#include "vm/recorder.h"

#include <cstddef>
#include <utility>

namespace thunkvm {

// Recorders and calls as emitted code declares them.
static_assert(offsetof(NativeCall, laps) == 72);
static_assert(sizeof(SiteRecord) == 640 && offsetof(SiteRecord, self) == 8 &&
              offsetof(SiteRecord, first) == 32 && offsetof(SiteRecord, classes) == 64);
static_assert(sizeof(BranchRecord) == 24 && offsetof(BranchRecord, flips) == 8);
static_assert(offsetof(Laps, sites) == 16 && offsetof(Laps, decisions) == 40 &&
              offsetof(Laps, demanders) == 48 && offsetof(Laps, n_decisions) == 56 &&
              offsetof(Laps, clock) == 64 && offsetof(Laps, times) == 80);

std::string profile_prelude() {
  const std::string classes = std::to_string(kTickClasses), last = std::to_string(kTickClasses - 1);
  return R"(
/* What the calls of a profiled program leave behind. */
typedef struct { u64 runs, self, min, max, first, suspended, failed, bytes; u32 classes[)" +
         classes + R"(]; u64 others[8]; } tv_site;
typedef struct { u32 last, forced; u64 flips, evaluated; } tv_branch;
typedef struct { u64 ticks, laps; } tv_elapsed;
typedef struct { u32 branch, arm; } tv_decision;
typedef struct tv_laps tv_laps;
struct tv_laps {
  u64 last, count;
  tv_site *sites;
  tv_branch *branches;
  tv_elapsed *regions;
  tv_decision *decisions;
  u32 *demanders;
  u32 n_decisions, max_decisions;
  u64 (*clock)(void);
  void (*more)(tv_laps *, u32 site, u64 ticks);
  u32 times;
};
typedef struct { tv_call call; void *others[4]; tv_laps *laps; } tv_profiled_call;
#define P (((tv_profiled_call *)call)->laps)
/* A number is computed before the clock is read. */
#define TV_DONE(number) __asm__ volatile("" : : "m"(number))

static inline __attribute__((unused)) void tv_lap(tv_laps *laps, u32 index) {
  tv_site *const site = laps->sites + index;
  const u64 runs = site->runs++;
  if (!laps->times) return;
#ifdef __x86_64__
  const u64 now = laps->clock ? laps->clock() : __builtin_ia32_rdtsc();
#else
  const u64 now = laps->clock();
#endif
  const u64 ticks = now - laps->last;
  laps->last = now;
  ++laps->count;
  site->self += ticks;
  if (runs == 0) {
    site->first = ticks;
  } else {
    if (ticks < site->min) site->min = ticks;
    if (ticks > site->max) site->max = ticks;
    const u64 value = ticks < 16 ? 16 : ticks;
    const u32 power = 63 - (u32)__builtin_clzl(value);
    const u32 index_of_class = 4 * (power - 4) + (u32)(value >> (power - 2) & 3);
    ++site->classes[index_of_class < )" +
         classes + R"( ? index_of_class : )" + last + R"(];
  }
  if (laps->more) laps->more(laps, index, ticks);
}
static inline __attribute__((unused)) void tv_took(tv_laps *laps, u32 index, u32 arm) {
  tv_branch *const branch = laps->branches + index;
  ++branch->evaluated;
  branch->flips += branch->last != arm && branch->last != 0xffffffffu;
  branch->last = arm;
  if (laps->n_decisions != laps->max_decisions)
    laps->decisions[laps->n_decisions++] = (tv_decision){index, arm};
}
)";
}

ProfileCode::ProfileCode(const Plan& plan, EmittedCode& out)
    : on_(plan.options().profiled), out_(out), first_group_(Recorder::first_group(plan.program())) {
  if (!on_) return;
  regions_ = regions_of(plan.schedule());
}

void ProfileCode::add(std::span<const std::uint32_t> nodes, const std::string& local) {
  if (!on_) return;
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
  if (!local.empty()) locals_.push_back(local);
}

void ProfileCode::end_group(const char* kind, CText& text) {
  if (nodes_.empty()) return;
  for (const std::string& local : locals_) text.line("TV_DONE(", local, ");");
  text.line("tv_lap(P, ", first_group_ + out_.groups.size(), ");");
  out_.groups.push_back({std::exchange(nodes_, {}), kind});
  locals_.clear();
}

void ProfileCode::took(std::uint32_t branch, std::uint32_t arm, CText& text) const {
  if (on_) text.line("tv_took(P, ", branch, ", ", arm, ");");
}

void ProfileCode::before_body(std::uint32_t memo, std::uint32_t pc, CText& text) const {
  if (!on_) return;
  const std::string demander = join("P->demanders[", memo, "]");
  text.line("start_", memo, " = P->last;");
  text.line("laps_", memo, " = P->count;");
  text.line("if (", demander, " == 0xffffffffu) ", demander, " = ", pc, ";");
}

void ProfileCode::after_body(std::uint32_t memo, std::uint32_t pc, CText& text) const {
  if (!on_) return;
  const std::string region = join("P->regions[", regions_.at(pc), "]");
  text.line(region, ".ticks += P->last - start_", memo, ";");
  text.line(region, ".laps += P->count - laps_", memo, ";");
}

void ProfileCode::declare_body(std::uint32_t memo, CText& head) const {
  if (on_) head.line("u64 start_", memo, " = 0, laps_", memo, " = 0;");
}

}  // namespace thunkvm
