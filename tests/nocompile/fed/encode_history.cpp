// error: encode
#include "data/histories.h"
#include "fed/messages.h"

sotto::Bytes send_a_history(const sotto::Histories& histories) { return sotto::encode(histories); }
