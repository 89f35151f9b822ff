#include "linkers/codegen/plan/nest_values.h"

#include "linkers/codegen/runtime/call_memory.h"

#include <algorithm>
#include <climits>
#include <ranges>

namespace thunkvm {

NestValues::NestValues(const Plan& plan, const Group& group)
    : plan_(plan), program_(plan.program()), group_(group) {
  find_values();
  find_space();
  find_phases();
  find_storage();
}

NestValues::Operand NestValues::operand_of(StepIndex step, int input) {
  const std::uint32_t reg = plan_.inputs(step)[static_cast<std::size_t>(input)];
  const auto found = operand_of_.find(reg);
  if (found != operand_of_.end()) return found->second;
  const Type& type = plan_.node(step).input(input).type();
  const std::size_t value = type.tensor()->ndim() == 0
                                ? new_number(reg, type)
                                : new_input(index_of(source_of(reg, type)), type.tensor()->dtype());
  return operand_of_[reg] = {value, false};
}

std::size_t NestValues::new_number(std::uint32_t reg, const Type& type) {
  values_.push_back({.kind = NestValue::Kind::Number,
                     .dtype = type.tensor()->dtype(),
                     .index = fused_.numbers.size()});
  fused_.numbers.push_back({reg, values_.back().dtype, plan_.reg(reg).local});
  return values_.size() - 1;
}

std::size_t NestValues::new_input(std::uint32_t source, DType dtype) {
  values_.push_back(
      {.kind = NestValue::Kind::Input, .dtype = dtype, .index = fused_.inputs.size()});
  fused_.inputs.push_back({.source = source, .dtype = dtype, .pad = {}});
  return values_.size() - 1;
}

// ---- members that only say where elements lie ----

FusedNest::Slice NestValues::slice(StepIndex step) const {
  const auto at = std::ranges::find(group_.steps, step);
  return {plan_.step(step).map->find, static_cast<std::uint32_t>(at - group_.steps.begin())};
}

/// An array that the nest does not compute: in a register, or a part that a member finds.
FusedNest::Source NestValues::source_of(std::uint32_t reg, const Type& type) const {
  if (const auto part = part_of_.find(reg); part != part_of_.end()) return part->second;
  return {.reg = reg,
          .slot = plan_.reg(reg).temporary,
          .dtype = type.tensor()->dtype(),
          .ndim = type.tensor()->ndim(),
          .slices = {}};
}

std::uint32_t NestValues::index_of(FusedNest::Source source) {
  std::vector<FusedNest::Source>& sources = fused_.sources;
  const auto found = std::ranges::find_if(sources, [&](const FusedNest::Source& other) {
    return other.reg == source.reg &&
           std::ranges::equal(other.slices, source.slices, {}, &FusedNest::Slice::member,
                              &FusedNest::Slice::member);
  });
  const auto index = static_cast<std::uint32_t>(found - sources.begin());
  if (found == sources.end()) sources.push_back(std::move(source));
  return index;
}

// ---- the iteration space ----

/// Finds the lengths that a call has to compare before the nest: of members whose shapes are known
/// to be the same one is compared, and none where all are.
void NestValues::find_space() {
  const auto has_first_shape = [&](const NestMember& member) {
    return plan_.shapes().are_same(shape_of(member.step), shape_of(members_.front().step));
  };
  // What is broadcast to given lengths may not fit them.
  if (given_.empty() && std::ranges::all_of(members_, has_first_shape)) return;
  for (const auto& [step, inputs] : own_spaces_)
    if (is_new_shape(shape_of(step))) fused_.own_spaces.push_back(inputs);
  for (const StepIndex step : given_) require_given_shape(step);
}

bool NestValues::is_new_shape(std::span<const ShapeFacts::Length> shape) {
  const auto same = [&](std::span<const ShapeFacts::Length> other) {
    return plan_.shapes().are_same(shape, other);
  };
  if (std::ranges::any_of(shapes_, same)) return false;
  shapes_.push_back(shape);
  return true;
}

/// The nest has to have the shape that a Broadcast or an Identity gives its value.
void NestValues::require_given_shape(StepIndex step) {
  const IndexMap& map = *plan_.step(step).map;
  const auto given = plan_.shapes().given(plan_.node(step));
  if (is_new_shape(given)) {
    const std::uint32_t lengths = plan_.inputs(step)[map.lengths];
    const auto found = std::ranges::find_if(group_.steps, [&](StepIndex member) {
      return plan_.step(member).is_lengths() && plan_.output(member) == lengths;
    });
    if (found != group_.steps.end())
      require_shape_of_value(*found);
    else
      fused_.lengths.push_back(lengths);
  }
  const Variable& value = plan_.node(step).input(map.value);
  if (map.rule().is_value &&
      !plan_.shapes().are_same(plan_.shapes().shape(*value.node(), value.index()), given))
    require_shape_of_value(step);
}

/// The nest has to have the shape of what an index map maps.
void NestValues::require_shape_of_value(StepIndex step) {
  const std::uint8_t value = plan_.step(step).map->value;
  const std::uint32_t reg = plan_.inputs(step)[value];
  const auto found = operand_of_.find(reg);
  if (found != operand_of_.end() && found->second.shaped) return;
  const std::uint32_t source = index_of(source_of(reg, plan_.node(step).input(value).type()));
  if (std::ranges::count(fused_.alike, source) == 0) fused_.alike.push_back(source);
}

void NestValues::add_map(StepIndex step) {
  const IndexMap& map = *plan_.step(step).map;
  const Operands& o = program_.steps[step].operands;
  switch (map.kind) {
    case IndexMap::Kind::ShapeOf: return;  // compared, by require_given_shape
    case IndexMap::Kind::Broadcast:
      given_.push_back(step);
      operand_of_[o.output(0)] = {operand_of(step, map.value).value, true};
      return;
    case IndexMap::Kind::Identity: {
      const std::size_t value = operand_of(step, map.value).value;
      given_.push_back(step);
      operand_of_[o.output(0)] = {value, true};
      if (values_[value].kind == NestValue::Kind::Member) give(value, o.output(0));
      return;
    }
    case IndexMap::Kind::Slice:
      if (plan_.node(step).input(0).ndim() == 0) {
        operand_of_[o.output(0)] = operand_of(step, 0);
      } else {
        FusedNest::Source part = source_of(o.input(0), plan_.node(step).input(0).type());
        part.slices.push_back(slice(step));
        part_of_[o.output(0)] = std::move(part);
      }
      return;
    case IndexMap::Kind::Pad: operand_of_[o.output(0)] = {pad(step), true}; return;
    case IndexMap::Kind::Element: return;  // never a member
  }
}

std::size_t NestValues::pad(StepIndex step) {
  const Operands& o = program_.steps[step].operands;
  const Type& type = plan_.node(step).input(1).type();
  const bool number = type.tensor()->ndim() == 0;
  FusedNest::Pad pad{.slice = slice(step)};
  const std::uint32_t fill = index_of(operand_of(step, 0).value);
  if (number) pad.value = index_of(operand_of(step, 1).value);
  const std::size_t value =
      new_input(number ? kNone : index_of(source_of(o.input(1), type)), type.tensor()->dtype());
  fused_.inputs.back().pad = pad;
  fused_.nest.fills.resize(fused_.inputs.size(), kNone);
  fused_.nest.fills.back() = fill;
  return value;
}

void NestValues::find_values() {
  for (const StepIndex step : group_.steps) {
    const StepForm& form = plan_.step(step);
    const Operands& o = program_.steps[step].operands;
    if (form.kind == StepForm::Kind::Mapped) {
      add_map(step);
      continue;
    }
    if (form.kind == StepForm::Kind::Reduction) {
      reductions_.push_back({step, operand_of(step, 0).value});
      values_[reductions_.back().second].reduced = true;
      continue;
    }
    NestMember member{step, 0, {}, &form};
    int phase = form.c ? 0 : 1;
    std::uint64_t own_space = 0;
    bool shaped = false;
    for (int i = 0; i < o.n_inputs; ++i) {
      const Operand input = operand_of(step, i);
      member.inputs.push_back(input.value);
      const NestValue& value = values_[input.value];
      shaped |= input.shaped;
      if (value.kind == NestValue::Kind::Input) own_space |= std::uint64_t{1} << value.index;
      // The next phase of its kind that is not before.
      const int at = value.phase;
      phase = std::max(phase, at + (at >= 0 && at % 2 != phase % 2 ? 1 : 0));
    }
    if (!shaped) own_spaces_.push_back({step, own_space});
    member.value = values_.size();
    values_.push_back({.kind = NestValue::Kind::Member,
                       .dtype = plan_.node(step).output_type(0).tensor()->dtype(),
                       .index = members_.size(),
                       .phase = phase});
    give(member.value, o.output(0));
    operand_of_[o.output(0)] = {member.value, true};
    members_.push_back(std::move(member));
    last_phase_ = std::max(last_phase_, phase);
  }
}

/// A member's value goes to a register, if others read it there.
void NestValues::give(std::size_t value, std::uint32_t reg) {
  if (!plan_.reg(reg).read_outside) return;
  if (plan_.reg(reg).shape_only)
    fused_.shape_only.push_back(plan_.reg(reg).temporary);
  else
    values_[value].outputs.push_back(reg);
}

/// Backwards: a value of which nothing is read, or its lengths alone, is not computed; and what
/// later phases alone read is computed there, since until then it would need a block.
void NestValues::find_phases() {
  constexpr int kUnread = INT_MAX;
  std::vector<int> latest(values_.size(), kUnread);  // that its readers allow
  for (const NestMember& member : members_ | std::views::reverse) {
    NestValue& value = values_[member.value];
    if (!value.is_consumed() && latest[member.value] == kUnread) continue;
    if (!value.is_consumed() && member.form->c) value.phase = latest[member.value];
    const int at = value.phase - value.phase % 2;  // what a call reads is there before it
    for (std::size_t i = 0; i < member.inputs.size(); ++i)
      if (member.form->reads(i)) latest[member.inputs[i]] = std::min(latest[member.inputs[i]], at);
  }
  std::erase_if(members_, [&](const NestMember& member) {
    return !values_[member.value].is_consumed() && latest[member.value] == kUnread;
  });
}

/// What is read in another phase, or by a call, lies in a block.
void NestValues::find_storage() {
  std::vector<bool> stored(values_.size(), false);
  for (const NestMember& member : members_) {
    const NestValue& value = values_[member.value];
    if (value.phase % 2 != 0) stored[member.value] = true;
    for (std::size_t i = 0; i < member.inputs.size(); ++i) {
      NestValue& input = values_[member.inputs[i]];
      if (input.phase != value.phase || value.phase % 2 != 0) stored[member.inputs[i]] = true;
      if (member.form->reads(i)) input.last_read = std::max(input.last_read, order(value));
    }
  }
  std::size_t given = fused_.inputs.size(), own = 0;
  const auto give = [&](NestValue& value, std::size_t block) {
    value.storage = NestValue::Storage::Given;
    value.block = block;
  };
  for (NestValue& value : values_) {
    if (value.kind == NestValue::Kind::Input) give(value, value.index);
    if (value.is_output()) give(value, given++);
  }
  // The first reduction of a value that is in no block has one that it is written to.
  for (std::size_t f = 0; f < reductions_.size(); ++f)
    if (NestValue& value = values_[reductions_[f].second];
        value.storage == NestValue::Storage::None)
      give(value, given + f);
  for (std::size_t v = 0; v < values_.size(); ++v) {
    NestValue& value = values_[v];
    if (!stored[v] || value.kind != NestValue::Kind::Member ||
        value.storage != NestValue::Storage::None)
      continue;
    value.storage = NestValue::Storage::Own;
    value.block = own++;
    value.own_at = fused_.nest.own_bytes;
    fused_.nest.own_bytes += kNestBlock * item_size(value.dtype);
  }
}

/// True if the nest computes a member: any that is no index map, and an Identity of such a one.
bool NestValues::is_value(StepIndex step) const {
  const StepForm& form = plan_.step(step);
  if (form.kind != StepForm::Kind::Mapped) return true;
  const auto operand = operand_of_.find(plan_.output(step));
  return form.map->rule().is_value &&
         values_[operand->second.value].kind == NestValue::Kind::Member;
}

FusedNest NestValues::nest(std::vector<StepRange> after,
                           std::vector<ElementFunction> element_functions) {
  for (FusedNest::Input& input : fused_.inputs)
    input.dies = !input.pad && fused_.sources[input.source].slices.empty() &&
                 dies(fused_.sources[input.source].reg);
  Nest& nest = fused_.nest;
  nest.n_inputs = fused_.inputs.size();
  if (!nest.fills.empty()) nest.fills.resize(nest.n_inputs, kNone);
  nest.element_functions = std::move(element_functions);
  finish_outputs();
  finish_reductions();
  const auto note_size = [&](DType dtype) {
    nest.item_sizes.push_back(static_cast<std::int64_t>(item_size(dtype)));
  };
  for (const FusedNest::Input& input : fused_.inputs) note_size(input.dtype);
  for (const FusedNest::Output& output : fused_.outputs) note_size(output.dtype);
  for (const Nest::Reduction& reduction : nest.reductions) note_size(reduction.kernel->in);
  for (const StepIndex step : group_.steps) {
    if (plan_.step(step).kind == StepForm::Kind::Element) nest.ndim = plan_.step(step).ndim;
    fused_.members.indices.push_back(plan_.accounts_for(group_, step) ? step : kNone);
    fused_.members.steps.push_back(program_.steps[step]);
    fused_.members.steps.back().operands.dying = 0;
    const std::uint32_t out = plan_.output(step);
    // A view's kernel may have run where no nest was.
    if (is_value(step) ? !plan_.reg(out).read_outside
                       : plan_.is_in_nests_only(step) && !plan_.is_rematerialised(step))
      fused_.internal.push_back(out);
    note_temporaries(step);
  }
  fused_.members.after = std::move(after);
  return std::move(fused_);
}

void NestValues::finish_outputs() {
  fused_.room = CallMemory::room(plan_.n_temporaries());
  for (const NestMember& member : members_) {
    const NestValue& value = values_[member.value];
    fused_.nest.cost += member.form->code->cost;
    if (!value.is_output()) continue;
    FusedNest::Output output{.registers = value.outputs, .dtype = value.dtype};
    if (value.outputs.size() == 1) output.slot = plan_.reg(value.outputs[0]).temporary;
    for (const NestValue& input : values_)
      if (input.kind == NestValue::Kind::Input && fused_.inputs[input.index].dies &&
          !input.reduced && input.last_read <= order(value))
        output.may_take |= std::uint64_t{1} << input.index;
    fused_.outputs.push_back(std::move(output));
  }
  fused_.nest.n_outputs = fused_.outputs.size();
}

void NestValues::finish_reductions() {
  for (const auto& [step, reduced] : reductions_) {
    const StepForm& form = plan_.step(step);
    fused_.nest.reductions.push_back({form.reduction, values_[reduced].block});
    fused_.results.push_back({plan_.output(step), form.reduction->out, form.keepdims});
    fused_.nest.reduced = form.reduced;
    fused_.nest.cost += 1;
  }
}

void NestValues::note_temporaries(StepIndex step) {
  const Operands& o = program_.steps[step].operands;
  for (int i = 0; i < o.n_inputs; ++i)
    if (plan_.reg(o.input(i)).temporary != kNone)
      fused_.slot_values.push_back(source_of(o.input(i), plan_.node(step).input(i).type()));
}

/// True if the nest is the last that reads the register, and reads it as one input.
bool NestValues::dies(std::uint32_t reg) const {
  const auto same = [&](const FusedNest::Input& input) {
    return input.source != kNone && fused_.sources[input.source].reg == reg;
  };
  return !plan_.options().traced && std::ranges::count(group_.retired, reg) != 0 &&
         std::ranges::count_if(fused_.inputs, same) == 1;
}

}  // namespace thunkvm
