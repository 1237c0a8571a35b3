// Records: what a person has, with what is known beside it, what they say of themself, and what catalogues
// say of items. A part of sotto/sotto.h, which includes it; what that says of threads, ownership and errors
// holds here.
#pragma once

#include "sotto/sotto.h"

#ifdef __cplusplus
extern "C" {
#endif

// A circumstance: "weather", "rain".
typedef struct sotto_context {
  const char* name;
  const char* value;
} sotto_context;
// A thing with what is known beside it. Later versions may add members at the end: `size` says which a
// program was compiled with, and what it lacks is not known.
typedef struct sotto_record {
  size_t size;  // sizeof(sotto_record)
  const char* item;
  double rating;    // where has_rating is not 0
  int64_t time_ms;  // since 1970, or any number that rises with time; where has_time is not 0
  int32_t has_rating;
  int32_t has_time;
  const sotto_context* contexts;  // each name once; NULL where there are none
  size_t context_count;
} sotto_record;
// All of them, or none where one is wrong. Of a thing that is there already nothing stays but what is given
// now.
SOTTO_API sotto_status sotto_add_records(sotto_device* device, const sotto_record* records, size_t count);
// All there are, by name.
typedef void (*sotto_record_fn)(void* user_data, const sotto_record* record);
SOTTO_API sotto_status sotto_records(sotto_device* device, sotto_record_fn each, void* user_data);
// What the person says of themself, for tasks that learn in contexts of people: "age", "25-34". It takes the
// place of what was said by this name; a value of NULL removes that. Where tasks on the device ask for
// attributes, a name or a value that they do not know is SOTTO_USAGE. It stays on the device: what enters a
// model is as the person lets it.
SOTTO_API sotto_status sotto_set_attribute(sotto_device* device, const char* name, const char* value);
// All that was said; or, where `asked` is not 0, what tasks on the device ask for: each value that they know,
// once, with its attribute's name.
typedef void (*sotto_attribute_fn)(void* user_data, const char* name, const char* value);
SOTTO_API sotto_status sotto_attributes(sotto_device* device, int asked, sotto_attribute_fn each,
                                        void* user_data);
// What the catalogue of a task says of an item, for a person to see. `size` is the library's: a program reads
// no member beyond it.
typedef struct sotto_description {
  size_t size;
  const char* title;       // the item's name where there is no title
  const char* categories;  // "Action|Comedy"; "" where none are known
  const char* picture;     // its https address, or "". Whoever serves it learns that this device shows it
} sotto_description;
typedef void (*sotto_description_fn)(void* user_data, const sotto_description* description);
// `task`: where to look first; NULL: anywhere. SOTTO_NOT_FOUND where no catalogue on the device has the item.
SOTTO_API sotto_status sotto_describe(sotto_device* device, const char* task, const char* item,
                                      sotto_description_fn each, void* user_data);

#ifdef __cplusplus
}
#endif
