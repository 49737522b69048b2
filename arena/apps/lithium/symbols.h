// The names that lithium reads and writes by reflection, each unless lithium has it already.
// Must not hold anything else, and comes after lithium's header.
#pragma once

#ifndef LI_SYMBOL_id
#define LI_SYMBOL_id
LI_SYMBOL(id)
#endif
#ifndef LI_SYMBOL_item
#define LI_SYMBOL_item
LI_SYMBOL(item)
#endif
#ifndef LI_SYMBOL_label
#define LI_SYMBOL_label
LI_SYMBOL(label)
#endif
#ifndef LI_SYMBOL_message
#define LI_SYMBOL_message
LI_SYMBOL(message)
#endif
