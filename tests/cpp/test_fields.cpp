// test_fields.cpp: rows and words that are declared once.
#include "linkers/schedule_rows.h"
#include "thunks/decoding.h"
#include "thunks/fields.h"
#include "vm/recorder.h"

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

namespace thunkvm {
namespace {

struct Visits {
  int seen = 0, most = 0, page = 0;
};

}  // namespace

template <>
struct Fields<Visits> {
  static constexpr const char* name = "Visits";
  static constexpr const char* doc = "Visits of a page.";
  static constexpr std::tuple fields{
      Field{&Visits::seen, "seen", "", "How many.", Merging::Added},
      Field{&Visits::most, "most", "", "At once, at most.", Merging::Greatest},
      Field{&Visits::page, "page", "", "The page."}};
};

namespace {

TEST_CASE("the fields of two rows are merged as they are declared") {
  Visits visits{.seen = 2, .most = 5, .page = 1};
  merge_fields(visits, Visits{.seen = 3, .most = 4, .page = 7});
  CHECK(visits.seen == 5);
  CHECK(visits.most == 5);
  CHECK(visits.page == 1);
}

TEST_CASE("fields are visited in their order") {
  std::vector<std::string> names;
  for_each_field<Visits>([&](const auto& field) { names.push_back(field.name); });
  CHECK(names == std::vector<std::string>{"seen", "most", "page"});
}

TEST_CASE("the record of a site merges all its counts") {
  SiteRecord site, other;
  int n = 0;
  for_each_field<SiteCounts>([&](const auto& field) { other.*field.member = 10 + n++; });
  site.merge(other);
  site.merge(other);
  CHECK(site.suspended == 20);
  CHECK(site.failed == 22);
  CHECK(site.bytes == 24);
  CHECK(site.peak == 13);
  CHECK(site.copies == 28);
}

TEST_CASE("a value of an enum has a word, and a word its value") {
  CHECK(std::string(name(Decoding::IndexOrDefault)) == "index_or_default");
  CHECK(named<Decoding>("index") == Decoding::Index);
  CHECK(!named<Decoding>("otherwise"));
  CHECK(std::string(name(ThunkForm::Fused)) == "fused");
  CHECK(std::string(name(GroupKind::Call)) == "call");
  CHECK(std::string(name(Block::Kind::Loop)) == "step");
  CHECK(std::string(name(CallPart::Machine)) == "other");
}

TEST_CASE("an arm is named by its decoding") {
  CHECK(arm_name(Decoding::Truth, 2, 0) == "else");
  CHECK(arm_name(Decoding::Truth, 2, 1) == "then");
  CHECK(arm_name(Decoding::Index, 3, 2) == "case 2");
  CHECK(arm_name(Decoding::IndexOrDefault, 3, 2) == "default");
  CHECK(loop_arm_name(0) == "end");
  CHECK(loop_arm_name(1) == "step");
}

}  // namespace
}  // namespace thunkvm
