/** The legend of the keys, and the switch for those that are pressed alone. */
import { Kbd, Modal, Stack, Switch } from '@mantine/core';
import { useSingleKeys } from './kept-choice.ts';
import { sections } from './sections.ts';
import { type LegendEntry, legendOf } from './shortcuts.ts';
import { useWorkspace } from './signed-in.tsx';

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { isAdmin } = useWorkspace();
  const [isOn, turn] = useSingleKeys();
  const seen = sections.filter(({ adminOnly }) => isAdmin || !adminOnly);
  const legend = legendOf(Object.fromEntries(seen.map(({ path, label }) => [path, label])));
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        <dl className="legend">
          {legend.map((entry) => (
            <Entry key={entry.does} entry={entry} isOff={!isOn && entry.isChord !== true} />
          ))}
        </dl>
        <Switch
          label="Keys that are pressed alone"
          description="Never where you type. Turned off, only those with Ctrl or ⌘ do something, in this browser."
          checked={isOn}
          onChange={({ currentTarget }) => turn(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

const Entry = ({ entry: { keys, does }, isOff }: { entry: LegendEntry; isOff: boolean }) => (
  <div className={isOff ? 'legend-off' : undefined}>
    <dt>
      {keys.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </dt>
    <dd>{isOff ? `${does} (off)` : does}</dd>
  </div>
);
