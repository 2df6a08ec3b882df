// Memory in large pages, for a server that looks at thousands of agents in no order.
#pragma once

// The heap that is still to come lies in large pages, where the system gives them on request. Before there are threads.
// It takes addresses, and memory only as it is used.
void app_use_large_pages(void);
