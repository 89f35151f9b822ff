#include "linkers/mode.h"

#include "ops/graph/registry.h"
#include "ops/rewrites/rewrite.h"
#include "thunks/error.h"

#include <algorithm>

namespace thunkvm {
namespace {

constexpr std::string_view kRetains = "_nogc";

constexpr std::string_view kFusion = "fusion";

const std::vector<Optimizer>& optimizer_table() {
  static const std::vector<Optimizer> rows = {
      {{}, {"fusion"}},
      {"fast_run", {"fusion", "merge", "inverses", "idempotents", "factors"}},
      {"fast_compile", {"merge"}},
  };
  return rows;
}

const std::vector<Feature>& feature_table() {
  static const std::vector<Feature> rows = [] {
    std::vector<Feature> features = {
        {kFusion,
         "chains of elementwise nodes, and the reductions that consume them, run as one loop"}};
    for (const NamedRewrite& rewrite : named_rewrites())
      features.push_back({rewrite.name, rewrite.summary, true});
    return features;
  }();
  return rows;
}

/// A mode that has a name of its own; the others are called after their linker.
struct NamedMode {
  std::string_view name, linker, optimizer;
};
constexpr NamedMode kNamedModes[] = {
    {"FAST_RUN", "cvm", "fast_run"},
    {"FAST_COMPILE", "vm", "fast_compile"},
};

/// The linkers that are so.
std::string names_of(bool (*is_so)(const LinkerRow&)) {
  std::string names;
  for (const LinkerRow& row : linkers())
    if (is_so(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace

std::span<const Feature> features() { return feature_table(); }

std::span<const Optimizer> optimizers() { return optimizer_table(); }

std::vector<std::string> features_of(const std::optional<std::string>& optimizer) {
  std::vector<std::string> names;
  for (const Optimizer& row : optimizer_table()) {
    if (row.name == optimizer) return row.features;
    if (row.name) names.push_back(*row.name);
  }
  throw Error(ErrorKind::Value, "there is no optimizer '" + *optimizer + "'; the optimizers are " +
                                    choices(*optimizer, names));
}

Mode Mode::named(std::string_view name) {
  for (const NamedMode& mode : kNamedModes)
    if (mode.name == name)
      return {.linker = std::string(mode.linker), .optimizer = std::string(mode.optimizer)};
  const bool retains = name.ends_with(kRetains);
  const std::string_view linker = name.substr(0, name.size() - (retains ? kRetains.size() : 0));
  if (std::ranges::find(linkers(), linker, &LinkerRow::name) == linkers().end())
    throw Error(ErrorKind::Value, "there is no mode '" + std::string(name) + "'; the modes are " +
                                      choices(name, names()));
  return {.linker = std::string(linker), .gc = !retains};
}

std::vector<std::string> Mode::names() {
  std::vector<std::string> names;
  for (const std::string_view suffix : {std::string_view(), kRetains})
    for (const LinkerRow& row : linkers()) names.push_back(std::string(row.name) += suffix);
  for (const NamedMode& mode : kNamedModes) names.emplace_back(mode.name);
  return names;
}

std::string Mode::name() const {
  for (const NamedMode& mode : kNamedModes)
    if (*this == named(mode.name)) return std::string(mode.name);
  return gc ? linker : linker + std::string(kRetains);
}

void Mode::set_features(std::span<const std::string> names) {
  std::vector<std::string> known;
  for (const Feature& feature : feature_table()) known.emplace_back(feature.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw Error(ErrorKind::Value,
                  "there is no feature '" + name + "'; there are: " + choices(name, known));
  std::erase_if(known, [&](const std::string& name) {
    return std::ranges::find(names, name) == names.end();
  });
  features = std::move(known);
}

bool Mode::fuses() const { return std::ranges::find(features, kFusion) != features.end(); }

std::vector<std::string> Mode::rewrites() const {
  std::vector<std::string> rewrites = features;
  std::erase(rewrites, kFusion);
  return rewrites;
}

CompileWhen Mode::compiles() const {
  const LinkerRow& row = thunkvm::linker(linker);
  if (!compile) return row.compiles.value_or(CompileWhen::Never);
  const std::string asked = "compile='" + std::string(thunkvm::name(*compile)) + "'";
  if (!row.compiles)
    throw Error(ErrorKind::Value,
                "the linker '" + linker + "' emits no C, so " + asked +
                    " has no meaning; leave it out, or choose one of " +
                    names_of([](const LinkerRow& other) { return other.compiles.has_value(); }) +
                    ".");
  if (!row.runs_without_c && *compile != CompileWhen::Now)
    throw Error(ErrorKind::Value,
                "the linker '" + linker +
                    "' runs emitted C alone, so it is compiled before the first call; " + asked +
                    " is for " +
                    names_of([](const LinkerRow& other) { return other.runs_without_c; }) + ".");
  return *compile;
}

}  // namespace thunkvm
