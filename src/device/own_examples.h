// A person's labelled examples in the numbers of a task that learns from them: the history of one user whose
// items are the examples, and the examples beside it.
//
// Laws: an example of another size, or with a label that is no class of the task, takes no part, nor does one
// of a class under the rule `never`. An example's number follows from its name alone, so that what a person's
// share once drew stays drawn, whatever is added or removed. Where no example says whether it has the
// quality that a criterion asks for, none is marked; else those without a word count as if they had it not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/own_history.h"

namespace sotto::device {

struct OwnExamples {
  OwnHistory history;
  std::vector<std::string> names;  // "digits/7": one an item of the history

  [[nodiscard]] std::string name_of(ItemIndex number) const;
};

// `terms` are in the numbers of the classes. Code::incompatible where there are examples and none fits.
[[nodiscard]] Result<OwnExamples> own_examples(DeviceStore& kept, const Task& task,
                                               const ConsentTerms& terms);

// `some` of them alone, ascending.
[[nodiscard]] OwnExamples only(const OwnExamples& own, std::span<const ItemIndex> some);

}  // namespace sotto::device
