// schedule_edit.h: changes of a schedule's statements, for all passes.
#pragma once

#include "linkers/schedule/schedule.h"
#include "linkers/schedule/statement_index.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// Changes are queued, and made all at once. Until then the schedule stays as it is, and statements
/// keep their indices: a pass need not think of its earlier changes.
///
/// An inserted statement is in the innermost block of the statement behind it: a block may begin
/// with it. The statements that make the tree stay: Branches, Agains and Ends. So a block always
/// has its End, and a branch stands right in front of its arms.
class ScheduleEdit {
 public:
  explicit ScheduleEdit(Schedule& schedule)
      : schedule_(schedule), erased_(schedule.statements.size(), false) {}

  /// Inserts a statement in front of statement `at`, behind those that were inserted there before.
  void insert(StatementIndex at, const Statement& statement) {
    inserted_.push_back({at, statement});
  }
  void erase(StatementIndex statement) { erased_[statement] = true; }
  /// Erases a statement, and inserts it in front of `at`, which may be erased too.
  void move(StatementIndex statement, StatementIndex at) {
    insert(at, schedule_.statements[statement]);
    erase(statement);
  }

  /// Makes the changes, and gives the blocks their new ranges: nothing else of a schedule names
  /// statements. Once, as the last. Linear, but for sorting the inserted statements.
  void apply();

 private:
  struct Inserted {
    StatementIndex at;
    Statement statement;
  };

  Schedule& schedule_;
  std::vector<Inserted> inserted_;
  IndexedVector<StatementIndex, bool> erased_;
};

}  // namespace thunkvm
