import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

/** Content that scrolls in its place when it is long, so that what follows stays in sight. */
export function Capped({ label, isLong, children }: { label: string; isLong: boolean; children: ReactNode }) {
  return isLong ? (
    <Box className="capped" role="group" {...{ tabIndex: 0, 'aria-label': label }}>
      {children}
    </Box>
  ) : (
    children
  );
}
