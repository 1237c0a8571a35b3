// sotto device move-out, move-in, new-key: a device goes to another machine, and another key opens it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "engine/files/files.h"
#include "engine/plan/device_folder.h"
#include "engine/terminal/ask_secret.h"

namespace sotto::cli {

namespace {

struct MoveOptions {
  CommonOptions common;
  std::string dir;
  std::string file;
  std::string passphrase_file;
  bool keep_file = false;  // move-in
};

Result<Passphrase> move_passphrase(const MoveOptions& options) {
  if (!options.passphrase_file.empty()) {
    SOTTO_TRY(const std::string line, only_line(options.passphrase_file, "passphrase"));
    return Passphrase(line);
  }
  if (!can_ask())
    return fail(Code::usage,
                "the file's passphrase is needed: type it on a terminal, or give --passphrase-file");
  return ask_secret("Passphrase of the file");
}

// A slip of the finger would lock the file for good.
Result<Passphrase> new_passphrase(const MoveOptions& options) {
  SOTTO_TRY(Passphrase first, move_passphrase(options));
  if (!options.passphrase_file.empty()) return first;
  SOTTO_TRY(const Passphrase second, ask_secret("The same once more"));
  if (first.text != second.text)
    return fail(Code::usage, "the two passphrases differ: nothing was changed; try again");
  return first;
}

Status move_device_out(MoveOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const bool there, is_there(folder.vault_path()));
  if (!there) {
    const auto vault = folder.open();  // as every command reports it
    return vault.ok() ? Status(Done{}) : vault.error();
  }
  SOTTO_TRY(const Passphrase passphrase, new_passphrase(options));
  SOTTO_TRY_DONE(folder.move_out(options.file, passphrase));
  if (options.common.json) {
    print_json(console, {{"moved_out", true}, {"file", options.file}});
    return Done{};
  }
  const std::string dir = shell_word(options.dir);
  console.print(fmt::format(
      "{0}: this device, sealed under your passphrase. It answers no more here.\n"
      "On the other machine: 'sotto device move-in --from {1} --dir {2}'. Take it in on one machine only. "
      "Then "
      "remove what is left here: 'sotto device delete --yes --dir {2}'.\n"
      "Is the file lost before it was taken in? 'sotto device move-out' writes it again from here. Did you "
      "change "
      "your mind? 'sotto device move-in --from {1} --dir {2}' on this machine takes the device back.\n",
      options.file, shell_word(options.file), dir));
  return Done{};
}

Status move_device_in(MoveOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const std::string taken, taken_folder());
  SOTTO_TRY(const bool readable, is_there(options.file));
  if (!readable) return fail(Code::not_found, fmt::format("{}: there is no such file", options.file));
  SOTTO_TRY(const Passphrase passphrase, move_passphrase(options));
  SOTTO_TRY_DONE(folder.move_in(options.file, passphrase, taken));
  // It opens nothing any more on this machine, and must not elsewhere.
  const bool removed = !options.keep_file && remove_file(options.file).ok();
  SOTTO_TRY(const auto vault, folder.open());
  SOTTO_TRY(const auto items, vault->items());
  SOTTO_TRY(const auto enrolment, vault->enrolment());
  SOTTO_TRY(const PersonalPolicy policy, vault->policy());
  if (options.common.json) {
    print_json(console, {{"moved_in", true},
                         {"vault", folder.vault_path().string()},
                         {"items", items.size()},
                         {"enrolled", enrolment.has_value()},
                         {"level", level_of(policy)},
                         {"file_removed", removed}});
    return Done{};
  }
  console.print(fmt::format(
      "The device is here now, in {}: {} things, level {}, {}. Its ledger goes on.\n{}\n", options.dir,
      human_count(items.size()), level_of(policy), enrolment ? "enrolled" : "not enrolled",
      removed ? "The file is removed: it is of no use any more. Remove other copies of it too."
              : "Remove the file: taken in elsewhere too, two devices would answer under one identity."));
  return Done{};
}

Status change_device_key(MoveOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY_DONE(folder.change_key());
  if (options.common.json)
    print_json(console, {{"changed", true}, {"key", folder.key_path().string()}});
  else
    console.print(
        fmt::format("{} is new, and everything in the vault is sealed anew. The old key opens only "
                    "older copies of the vault.\n",
                    folder.key_path().string()));
  return Done{};
}

void add_passphrase_file(CLI::App& app, MoveOptions& options) {
  app.add_option("--passphrase-file", options.passphrase_file,
                 "a file with the passphrase in one line; without it the terminal asks")
      ->type_name("FILE");
}

}  // namespace

Result<std::string> only_line(const std::string& path, const char* what) {
  SOTTO_TRY(std::string text, read_text(path));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  if (text.empty() || lines > 1)
    return fail(Code::usage,
                fmt::format("{}: a device takes one {}, and the file has {}: give it a file with "
                            "one line of its own",
                            path, what, text.empty() ? "none" : fmt::format("{} lines", lines)));
  return text;
}

void add_device_move(CLI::App& device, Cli& cli) {
  auto [out_app, going] = add_device_command(
      device, cli, "move-out", "into one sealed file for another machine; it answers no more here",
      move_device_out, {"sotto device move-out --out me.device --dir my-device"});
  out_app->add_option("-o,--out", going->file, "the file to make, readable by you alone")
      ->type_name("FILE")
      ->required();
  add_passphrase_file(*out_app, *going);
  auto [in_app, coming] =
      add_device_command(device, cli, "move-in", "from the file of another machine, once", move_device_in,
                         {"sotto device move-in --from me.device --dir my-device"});
  in_app->add_option("--from", coming->file, "the file that move-out made")->type_name("FILE")->required();
  in_app->add_flag("--keep-file", coming->keep_file, "do not remove the file afterwards");
  add_passphrase_file(*in_app, *coming);
  add_device_command(device, cli, "new-key", "another key for the vault; everything in it is sealed anew",
                     change_device_key, {"sotto device new-key --dir my-device"});
}

}  // namespace sotto::cli
