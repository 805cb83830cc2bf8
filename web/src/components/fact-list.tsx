/** Names and values, one pair a row; the names stand above their values on a phone. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function FactList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <dl className="fact-list" aria-label={label}>
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  );
}
