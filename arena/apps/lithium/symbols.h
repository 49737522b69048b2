// The names that lithium reads and writes by reflection, each unless lithium has it already.
// Must not hold anything else, and comes after lithium's header.
#pragma once

#ifndef LI_SYMBOL_active
#define LI_SYMBOL_active
LI_SYMBOL(active)
#endif
#ifndef LI_SYMBOL_category
#define LI_SYMBOL_category
LI_SYMBOL(category)
#endif
#ifndef LI_SYMBOL_count
#define LI_SYMBOL_count
LI_SYMBOL(count)
#endif
#ifndef LI_SYMBOL_id
#define LI_SYMBOL_id
LI_SYMBOL(id)
#endif
#ifndef LI_SYMBOL_idle_timeout_seconds
#define LI_SYMBOL_idle_timeout_seconds
LI_SYMBOL(idle_timeout_seconds)
#endif
#ifndef LI_SYMBOL_item
#define LI_SYMBOL_item
LI_SYMBOL(item)
#endif
#ifndef LI_SYMBOL_items
#define LI_SYMBOL_items
LI_SYMBOL(items)
#endif
#ifndef LI_SYMBOL_label
#define LI_SYMBOL_label
LI_SYMBOL(label)
#endif
#ifndef LI_SYMBOL_limit
#define LI_SYMBOL_limit
LI_SYMBOL(limit)
#endif
#ifndef LI_SYMBOL_m
#define LI_SYMBOL_m
LI_SYMBOL(m)
#endif
#ifndef LI_SYMBOL_max
#define LI_SYMBOL_max
LI_SYMBOL(max)
#endif
#ifndef LI_SYMBOL_message
#define LI_SYMBOL_message
LI_SYMBOL(message)
#endif
#ifndef LI_SYMBOL_min
#define LI_SYMBOL_min
LI_SYMBOL(min)
#endif
#ifndef LI_SYMBOL_name
#define LI_SYMBOL_name
LI_SYMBOL(name)
#endif
#ifndef LI_SYMBOL_page
#define LI_SYMBOL_page
LI_SYMBOL(page)
#endif
#ifndef LI_SYMBOL_price
#define LI_SYMBOL_price
LI_SYMBOL(price)
#endif
#ifndef LI_SYMBOL_quantity
#define LI_SYMBOL_quantity
LI_SYMBOL(quantity)
#endif
#ifndef LI_SYMBOL_randomNumber
#define LI_SYMBOL_randomNumber
LI_SYMBOL(randomNumber)
#endif
#ifndef LI_SYMBOL_rating
#define LI_SYMBOL_rating
LI_SYMBOL(rating)
#endif
#ifndef LI_SYMBOL_score
#define LI_SYMBOL_score
LI_SYMBOL(score)
#endif
#ifndef LI_SYMBOL_tags
#define LI_SYMBOL_tags
LI_SYMBOL(tags)
#endif
#ifndef LI_SYMBOL_total
#define LI_SYMBOL_total
LI_SYMBOL(total)
#endif
