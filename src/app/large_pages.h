// Huge pages, for a server that accesses thousands of agents in random order.
#pragma once

// Puts future heap memory into huge pages, if the system offers them on request. Call it before there are threads. It
// reserves addresses; memory is used only when needed.
void app_use_large_pages(void);
