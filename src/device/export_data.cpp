#include "device/export_data.h"

#include <nlohmann/json.hpp>

#include "base/version.h"
#include "device/consent_file.h"

namespace sotto::device {

namespace {

Result<nlohmann::json> task_json(Vault& vault, const std::string& task) {
  nlohmann::json json{{"task", task}, {"private_row", nullptr}, {"last_round", nullptr}};
  SOTTO_TRY(const auto own, vault.own_row(task));
  if (own) {
    const auto values = own->on_device().values(0);
    json["private_row"] = std::vector<float>(values.begin(), values.end());
  }
  SOTTO_TRY(const auto round, vault.last_round(task));
  if (round) json["last_round"] = *round;
  return json;
}

}  // namespace

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json entry_json(const LedgerEntry& entry) {
  nlohmann::json line{
      {"round", entry.round}, {"task", entry.task}, {"mechanism", entry.mechanism}, {"items", entry.items}};
  line["bytes"] = entry.bytes ? nlohmann::json(*entry.bytes) : nlohmann::json();
  line["epsilon"] = entry.epsilon ? nlohmann::json(*entry.epsilon) : nlohmann::json();
  return line;
}

nlohmann::json interaction_json(const KeptInteraction& one) {
  nlohmann::json json{{"item", one.item}, {"value", nullptr}, {"time_ms", nullptr}};
  if (one.rating) json["value"] = *one.rating;
  if (one.time_ms) json["time_ms"] = *one.time_ms;
  for (const auto& [name, value] : one.contexts) json["contexts"][name] = value;
  return json;
}

nlohmann::json example_json(const KeptExample& one) {
  nlohmann::json json{{"collection", one.collection}, {"name", one.name},   {"height", one.height},
                      {"width", one.width},           {"label", one.label}, {"mark", nullptr}};
  if (one.mark) json["mark"] = *one.mark;
  json["values"] = one.values;
  return json;
}

Result<std::string> export_json(Vault& vault) {
  nlohmann::json document{{"sotto", version}};
  SOTTO_TRY(const PersonalPolicy policy, vault.policy());
  document["consent"] = to_toml(policy);
  SOTTO_TRY(const auto enrolment, vault.enrolment());
  document["enrolled"] = enrolment.has_value();
  nlohmann::json& interactions = document["interactions"] = nlohmann::json::array();
  SOTTO_TRY(const auto kept, vault.interactions());
  for (const KeptInteraction& one : kept) interactions.push_back(interaction_json(one));
  nlohmann::json& attributes = document["attributes"] = nlohmann::json::object();
  SOTTO_TRY(const Attributes said, vault.attributes());
  for (const auto& [name, value] : said) attributes[name] = value;
  nlohmann::json& examples = document["examples"] = nlohmann::json::array();
  SOTTO_TRY(const auto labelled, vault.examples(""));
  for (const KeptExample& one : labelled) examples.push_back(example_json(one));
  nlohmann::json& tasks = document["tasks"] = nlohmann::json::array();
  SOTTO_TRY(const auto names, vault.held_tasks());
  for (const std::string& name : names) {
    SOTTO_TRY(nlohmann::json task, task_json(vault, name));
    tasks.push_back(std::move(task));
  }
  SOTTO_TRY(const KeptLedger ledger, vault.ledger());
  SOTTO_TRY(const LedgerReading reading, read_ledger(ledger.lines, ledger.head, ledger.public_key));
  nlohmann::json& entries = document["ledger"]["entries"] = nlohmann::json::array();
  for (const LedgerEntry& entry : reading.entries) entries.push_back(entry_json(entry));
  document["ledger"]["public_key"] = ledger.public_key;
  document["ledger"]["signed_lines"] = ledger.lines;
  document["ledger"]["signed_head"] = ledger.head;
  return json_text(document, 2) + "\n";
}

}  // namespace sotto::device
