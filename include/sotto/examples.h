// Labelled examples: what a task learns from that tells classes apart, such as pictures and what they show.
// Threads, ownership and texts are as in sotto.h.
#pragma once

#include "sotto/sotto.h"

#ifdef __cplusplus
extern "C" {
#endif

// One example, in a collection that the app and its coordinator have agreed on. Later versions may add
// members at the end: `size` says which a program was compiled with, and what it lacks is not known.
typedef struct sotto_example {
  size_t size;             // sizeof(sotto_example)
  const char* collection;  // "digits": 1 to 64 small letters, digits, - or _
  const char* name;        // each once in a collection
  const uint8_t* values;   // height * width bytes
  uint32_t height;
  uint32_t width;
  uint32_t label;  // the number of its class, from 0 to 255
  int32_t has_mark;
  int32_t mark;  // whether it has the quality that a criterion asks for; where has_mark is not 0
} sotto_example;
// All of them, or none where one is wrong. An example takes the place of that of its name.
SOTTO_API sotto_status sotto_add_examples(sotto_device* device, const sotto_example* examples, size_t count);
// The example of a collection with this name; NULL: the whole collection. SOTTO_NOT_FOUND where there is
// none.
SOTTO_API sotto_status sotto_remove_examples(sotto_device* device, const char* collection, const char* name);
// Those of a collection, by name; NULL: of all collections.
typedef void (*sotto_example_fn)(void* user_data, const sotto_example* example);
SOTTO_API sotto_status sotto_examples(sotto_device* device, const char* collection, sotto_example_fn each,
                                      void* user_data);

// What the model of a task says of an example: each class by the name it has in the task, with its share of
// one, the likeliest first. Of the example its size and its bytes are looked at. `task`: as in
// sotto_recommend.
SOTTO_API sotto_status sotto_classify(sotto_device* device, const char* task, const sotto_example* example,
                                      sotto_item_fn each, void* user_data);

#ifdef __cplusplus
}
#endif
