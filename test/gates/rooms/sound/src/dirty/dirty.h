#pragma once

int dirty_count(void);
