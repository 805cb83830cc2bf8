/**
 * Taking what all sessions of the machine share. Each stops by itself before it would harm
 * a machine without limits.
 */
import type { Attempt } from './attempt.ts';

export const resourceAttempts: Attempt[] = [
  {
    what: 'takes all memory',
    stoppedBy: 'a limit on the memory of its sandbox',
    run: (kit) => {
      const program =
        'const all = []; for (let i = 0; i < 40; i += 1) all.push(Buffer.alloc(64 * 1024 * 1024, 1)); process.exit(0)';
      return kit.childProcess.spawnSync(process.execPath, ['-e', program]).status === 0 ? 'got it' : 'ended';
    },
    inside: 'ended',
  },
  {
    what: 'forks until nothing can',
    stoppedBy: 'a limit on the processes of its sandbox',
    run: (kit) =>
      kit.perl(
        `my @all; while (@all < 1500) { my $pid = fork(); last unless defined $pid; if ($pid == 0) { sleep 120; exit } push @all, $pid }
        kill 9, @all; waitpid($_, 0) for @all; print @all < 512 ? 'stopped' : 'forked ' . @all`,
        90_000,
      ),
    inside: 'stopped',
  },
  {
    what: 'fills the disk',
    stoppedBy: 'a work directory with a size',
    run: (kit, { workspace }) => {
      const piece = kit.childProcess.spawnSync('dd', [
        'if=/dev/zero',
        `of=${workspace}/all`,
        'bs=1M',
        'count=700',
      ]);
      kit.fs.unlinkSync(`${workspace}/all`);
      return String(piece.stderr).includes('No space left on device') ? 'full' : 'written';
    },
    inside: 'full',
  },
  {
    what: 'uses every processor',
    stoppedBy: 'a limit on the processor time of its sandbox',
    run: (kit) =>
      kit.perl(
        `use Time::HiRes qw(time); my $began = time; my @all = map { my $pid = fork(); if ($pid == 0) { 1 while time - $began < 3; exit } $pid } 1 .. 6;
        waitpid($_, 0) for @all; my (undef, undef, $user, $system) = times; print +($user + $system) / (time - $began) < 1.4 ? 'its share' : 'more'`,
        90_000,
      ),
    inside: 'its share',
  },
];

/** Keeps the machine busy until `stopBeingBusy`, or for a while, without waiting for the end of that. */
export const beBusy = `(kit) => {
  const program = 'const until = Date.now() + 20000; while (Date.now() < until) Buffer.alloc(8 * 1024 * 1024, 1);';
  const start = () => kit.childProcess.spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  globalThis.busy = Array.from({ length: 8 }, start);
  return 'busy';
}`;
export const stopBeingBusy = `() => {
  globalThis.busy.forEach((each) => each.kill('SIGKILL'));
  return 'stopped';
}`;
