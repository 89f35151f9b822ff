#include "python/bindings/call/arguments.h"

#include "ops/graph/registry.h"

#include <algorithm>

namespace thunkvm {

void Parameter::set_type(TypeRef of) {
  type = std::move(of);
  const TensorType* tensor = type->tensor();
  if (tensor == nullptr) return;
  dtype = tensor->dtype();
  ndim = tensor->ndim();
  is_double = dtype == DType::Float64 && ndim == 0;
  const StaticShape& lengths = tensor->shape();
  is_array = ndim > 0 && dtype != DType::Object &&
             std::all_of(lengths.begin(), lengths.end(),
                         [](std::int64_t length) { return length == kUnknownLength; });
}

Signature::Signature(std::string function, std::vector<Parameter> parameters)
    : function_(std::move(function)), parameters_(std::move(parameters)) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].has_default) ++n_required_;
    if (!parameters_[i].keyword) continue;
    std::vector<std::size_t>& same = named_[parameters_[i].keyword.get()];
    same.push_back(i);
    shares_names_ |= same.size() > 1;
  }
}

void Signature::bind(PyObject* const* arguments, std::size_t n_positional, PyObject* keywords,
                     PyObject** bound) const {
  const std::size_t n = parameters_.size();
  if (n_positional > n) throw_too_many(n_positional);
  std::copy(arguments, arguments + n_positional, bound);
  std::fill(bound + n_positional, bound + n, nullptr);
  const Py_ssize_t n_keywords = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < n_keywords; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    // Most callers have their keywords in the order of the parameters.
    const std::size_t next = n_positional + static_cast<std::size_t>(k);
    const std::size_t i = is_name_of(keyword, next) ? next : find(keyword);
    if (bound[i] != nullptr)
      throw Error(ErrorKind::Type,
                  function_ + " got multiple values for argument '" + parameters_[i].name + "'");
    bound[i] = arguments[next];
  }
  for (std::size_t i = 0; i < n; ++i)
    if (bound[i] == nullptr && !parameters_[i].has_default) throw_missing(bound);
}

/// Whether the keyword is the name of parameter i, and of no other.
bool Signature::is_name_of(PyObject* keyword, std::size_t i) const {
  if (i >= parameters_.size() || shares_names_) return false;
  PyObject* name = parameters_[i].keyword.get();
  return name == keyword || (name != nullptr && PyUnicode_Compare(name, keyword) == 0);
}

std::size_t Signature::find(PyObject* keyword) const {
  auto found = named_.find(keyword);
  if (found == named_.end()) {
    // Interned strs of one text are one object; this one is not interned, or nobody's name.
    PyObject* interned = PyRef::take(PyUnicode_FromObject(keyword)).release();
    PyUnicode_InternInPlace(&interned);
    found = named_.find(interned);
    Py_DECREF(interned);
  }
  if (found == named_.end()) throw_unexpected(std::string(text_of(keyword, "an argument's name")));
  if (found->second.size() > 1) throw_ambiguous(found->second);
  return found->second.front();
}

void Signature::throw_unexpected(const std::string& given) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_)
    if (!parameter.name.empty()) names.push_back(parameter.name);
  throw Error(ErrorKind::Type, function_ + " got an unexpected keyword argument '" + given + "'" +
                                   suggestion(". Did you mean", given, names));
}

void Signature::throw_ambiguous(std::span<const std::size_t> same) const {
  std::string numbers;
  for (const std::size_t i : same) numbers += (numbers.empty() ? "" : " and ") + std::to_string(i);
  throw Error(ErrorKind::Type, function_ + " has more than one input called '" +
                                   parameters_[same.front()].name + "', numbers " + numbers +
                                   "; pass them by position, or give them names of their own with "
                                   "tv.In(variable, name=...)");
}

void Signature::throw_too_many(std::size_t given) const {
  const std::size_t n = parameters_.size();
  const std::string range =
      n_required_ == n ? std::to_string(n)
                       : "from " + std::to_string(n_required_) + " to " + std::to_string(n);
  throw Error(ErrorKind::Type, function_ + " takes " + range + " positional argument" +
                                   (n == 1 ? "" : "s") + " but " + std::to_string(given) +
                                   (given == 1 ? " was" : " were") + " given");
}

void Signature::throw_missing(PyObject* const* bound) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (bound[i] == nullptr && !parameters_[i].has_default)
      names.push_back(parameters_[i].name.empty() ? "number " + std::to_string(i)
                                                  : "'" + parameters_[i].name + "'");
  std::string list = names[0];
  for (std::size_t i = 1; i < names.size(); ++i)
    list += (i + 1 == names.size() ? (names.size() == 2 ? " and " : ", and ") : ", ") + names[i];
  throw Error(ErrorKind::Type, function_ + " missing " + std::to_string(names.size()) +
                                   " required positional argument" +
                                   (names.size() == 1 ? "" : "s") + ": " + list);
}

}  // namespace thunkvm
