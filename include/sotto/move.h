// Sotto on a person's device: another key, and another machine. Threads, ownership and texts are as in
// sotto.h.
#pragma once

#include "sotto/sotto.h"

#ifdef __cplusplus
extern "C" {
#endif

// From now on this key or passphrase opens the vault, and no other. Have it safe before: when this returns
// the old one opens nothing any more, and if the process dies first, one of the two does.
SOTTO_API sotto_status sotto_device_change_key(sotto_device* device, const sotto_key* key);
// To another machine. move_out writes all of the vault at `path` into `file`, which must not be there yet,
// sealed under a passphrase of 12 letters or more; the vault answers no more here, and open refuses it. Close
// the device before. After a failure, and where the file was lost before it was taken in, call it again.
SOTTO_API sotto_status sotto_device_move_out(const char* path, const sotto_key* key, const char* file,
                                             const char* passphrase);
// On the other machine: makes the vault at `path`, which `key` opens. A file is taken in once: the folder
// `path`.moves remembers. A vault may be at `path` only if it moved out into this file: it is taken back.
SOTTO_API sotto_status sotto_device_move_in(const char* file, const char* passphrase, const char* path,
                                            const sotto_key* key);

#ifdef __cplusplus
}
#endif
