// sotto device ledger: what has left a device, and whether its record is whole.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "cli/device_text.h"
#include "engine/plan/device_folder.h"

namespace sotto::cli {

namespace {

struct LedgerOptions {
  CommonOptions common;
  std::string dir;
  std::string key;          // verify: the public key to check against; empty: the folder's
  std::string out = "-";    // export
  bool force = false;       // export
  bool items = false;       // list
  std::uint32_t last = 20;  // list
};

Status list(LedgerOptions& options, const Console& console) {
  SOTTO_TRY(const LedgerReading reading, DeviceFolder(options.dir).ledger());
  if (options.common.json) {
    print_json(console, ledger_json(reading));
    return Done{};
  }
  if (!options.items) {
    console.print(ledger_table(reading, options.last, nullptr, console));
    return Done{};
  }
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const ItemTitles titles, ItemTitles::load(*vault));
  console.print(ledger_table(reading, options.last, &titles, console));
  return Done{};
}

Status verify(LedgerOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const KeptLedger kept, folder.kept_ledger());
  const std::string& own = kept.public_key;
  SOTTO_TRY(const LedgerReading reading, folder.ledger(options.key));
  if (options.common.json) {
    print_json(console, {{"ok", true},
                         {"lines", reading.head.lines()},
                         {"head", reading.head.hash()},
                         {"public_key", options.key.empty() ? own : options.key}});
    return Done{};
  }
  console.print(fmt::format("The ledger is sound: {} lines, each signed and in its place, none cut off.\n",
                            human_count(reading.head.lines())));
  if (options.key.empty())
    console.print(
        fmt::format("\nIts key is {}.\nNote it elsewhere and give it with --key: then a ledger that "
                    "was replaced together with its key is found too.\n"
                    "What no check finds: an older copy of the whole folder put back.\n",
                    own));
  return Done{};
}

Status export_ledger(LedgerOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const LedgerReading reading, folder.ledger());
  SOTTO_TRY(const KeptLedger kept, folder.kept_ledger());
  nlohmann::json document = ledger_json(reading);
  document["public_key"] = kept.public_key;
  document["signed_head"] = kept.head;
  document["signed_lines"] = kept.lines;
  return write_private_output(console, options.out, document.dump(2) + "\n", options.force);
}

}  // namespace

void add_device_ledger(CLI::App& device, Cli& cli) {
  CLI::App& app = *device.add_subcommand("ledger", "what has left this device, signed line by line");
  app.require_subcommand(1);
  auto [list_app, listing] =
      add_device_command(app, cli, "list", "the rounds this device answered", list,
                         {"sotto device ledger list --dir my-device",
                          "sotto device ledger list --items --last 5 --dir my-device"});
  list_app->add_flag("--items", listing->items, "also list the things in each round");
  list_app->add_option("--last", listing->last, "list the newest N rounds")->default_str("20");
  auto [verify_app, verifying] =
      add_device_command(app, cli, "verify", "check every line, its signature and its place", verify,
                         {"sotto device ledger verify --dir my-device"});
  verify_app->add_option("--key", verifying->key, "the public key you noted; default: the folder's")
      ->type_name("HEX");
  auto [export_app, exporting] =
      add_device_command(app, cli, "export", "everything in one JSON document that can be checked elsewhere",
                         export_ledger, {"sotto device ledger export --out ledger.json --dir my-device"});
  add_private_output(*export_app, exporting->out, exporting->force);
}

void add_device(CLI::App& root, Cli& cli) {
  CLI::App& device =
      *root.add_subcommand("device", "a person's device: what it has, shares, learns and reports");
  device.require_subcommand(1);
  add_device_agent(device, cli);
  add_device_items(device, cli);
  add_device_attributes(device, cli);
  add_device_classify(device, cli);
  add_device_consent(device, cli);
  add_device_ledger(device, cli);
  add_device_move(device, cli);
}

}  // namespace sotto::cli
