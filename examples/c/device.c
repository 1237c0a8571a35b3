/* A person's device in plain C: a vault, interactions, consent, an exchange over callbacks, and the end.
 *
 * It talks to nobody: the transport below reports that there is no network, as for a phone in a tunnel. Put a
 * socket or an HTTP/2 client of your own there. Run it with a folder that it may write to:
 *
 *   cc -std=c99 -Iinclude examples/c/device.c -lsotto_device -o device && ./device /tmp
 */
#include <sotto/sotto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sotto_device* device;

/* Every call returns how it went; the sentence is for a log. */
static void must(sotto_status status, const char* what) {
  if (status == SOTTO_OK) return;
  fprintf(stderr, "%s: %s (%s)\n", what, sotto_last_error(device), sotto_strerror(status));
  exit(1);
}

static int no_network(void* user_data, const char* method, const uint8_t* request, size_t size,
                      sotto_sink* sink) {
  int* calls = user_data;
  (void)request;
  (void)sink; /* with an answer: sotto_reply(sink, bytes, length); return 0; */
  ++*calls;
  printf("  %s, %lu bytes: nobody there\n", method, (unsigned long)size);
  return 1;
}

static int on_the_charger(void* user_data, int* on_power, int* unmetered) {
  (void)user_data;
  *on_power = 1;
  *unmetered = 1;
  return 1;
}

static void say_consent(void* user_data, const char* level, double pi, const char* mask, const char* state) {
  (void)user_data;
  printf("consent: %s, pi %.2f, %s %s\n", level, pi, mask, state);
}

static void say_item(void* user_data, const char* item, double score) {
  (void)user_data;
  printf("  %s %.3f\n", item, score);
}

static void say_text(void* user_data, const char* text, size_t size) {
  (void)user_data;
  printf("%.*s", (int)size, text);
}

int main(int count, char** words) {
  char path[4096];
  /* A real app takes these 32 bytes from the system's key store. */
  uint8_t secret[32];
  sotto_key key = {secret, NULL};
  int calls = 0;
  sotto_transport transport = {&calls, no_network};
  sotto_conditions conditions = {NULL, on_the_charger};
  sotto_exchange result;

  if (count != 2) {
    fprintf(stderr, "usage: device FOLDER\n");
    return 2;
  }
  snprintf(path, sizeof path, "%s/example-vault.db", words[1]);
  memset(secret, 7, sizeof secret);
  printf("sotto %s\n", sotto_version());

  must(sotto_device_open(path, &key, 1, &device), "open");
  must(sotto_add_interaction(device, "a film", 5.0, 1700000000000), "add");
  must(sotto_add_interaction(device, "a secret film", 4.0, 1700000000001), "add");
  must(sotto_remove_interaction(device, "a film"), "remove");

  /* Until the person chooses, nothing is shared. */
  must(sotto_get_consent(device, say_consent, NULL), "consent");
  must(sotto_set_level(device, "careful"), "level");
  must(sotto_set_item_rule(device, "a secret film", "never"), "rule");
  must(sotto_get_consent(device, say_consent, NULL), "consent");

  /* The coordinator is not there: the device reports it and loses nothing. */
  if (sotto_enrol(device, &transport, (const uint8_t*)"token", 5) != SOTTO_IO || calls == 0) return 1;
  printf("enrol: %s\n", sotto_last_error(device));
  if (sotto_run_exchange(device, &transport, &conditions, 1700000000002, &result) != SOTTO_USAGE) return 1;
  printf("exchange: %s\n", sotto_last_error(device));

  /* Without a model there is nothing to recommend from, and the ledger is empty and sound. */
  if (sotto_recommend(device, NULL, 10, say_item, NULL) != SOTTO_NOT_FOUND) return 1;
  printf("recommend: %s\n", sotto_last_error(device));
  must(sotto_ledger(device, NULL, say_text, NULL), "ledger");
  must(sotto_export(device, say_text, NULL), "export");

  /* A vault opens only with its key. */
  sotto_device_close(device);
  device = NULL;
  secret[0] ^= 1;
  if (sotto_device_open(path, &key, 0, &device) != SOTTO_BAD_INPUT || device != NULL) return 1;
  printf("open: %s\n", sotto_last_error(NULL));
  secret[0] ^= 1;
  must(sotto_device_open(path, &key, 0, &device), "open again");
  must(sotto_device_delete(device), "delete");
  device = NULL;
  if (sotto_device_open(path, &key, 0, &device) != SOTTO_NOT_FOUND) return 1;
  printf("deleted\n");
  return 0;
}
