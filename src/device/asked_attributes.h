// What the tasks on a device ask of its person, for models that learn in contexts of people, and what the
// person says.
//
// Laws: what is asked is in the tasks' catalogues; what is said stays in the vault and enters a model as the
// person's protocol lets it (privacy/context_consent.h). No sentence holds what the person said.
#pragma once

#include <string>

#include "device/vault.h"

namespace sotto::device {

// Each value that there is, with its attribute's name, once.
[[nodiscard]] Result<Attributes> asked_attributes(DeviceStore& kept);
// The values of one, or of an empty name the names, with commas between; of very many the first.
[[nodiscard]] std::string in_a_row(const Attributes& asked, const std::string& name = "");

// As Vault::say(), where tasks on the device ask: names and values that they know. Before any does, whatever
// is said is kept, and a task that knows it takes it.
[[nodiscard]] Status say_attributes(Vault& vault, std::span<const Attribute> said);

}  // namespace sotto::device
