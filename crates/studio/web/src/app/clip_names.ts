// Names of clips as lists show them: without what all of them begin with.

/** What all names begin with up to the last bar, colon or slash, as exporters put an armature's name: `HumanArmature|`. Empty where there is none. */
export function commonPrefix(names: string[]): string {
  const first = names[0] ?? "";
  for (let end = Math.max(...["|", ":", "/"].map((mark) => first.lastIndexOf(mark))) + 1; end > 0; end--) {
    const prefix = first.slice(0, end);
    if (/[|:/]$/.test(prefix) && names.every((n) => n.startsWith(prefix) && n.length > prefix.length)) return prefix;
  }
  return "";
}

/** A name without what the names of a list have in common. */
export function shortName(name: string, names: string[]): string {
  return name.slice(commonPrefix(names).length);
}

/** The clip to show first: somebody who stands, else one who walks, else the first. */
export function firstClip<C extends { name: string }>(clips: C[]): C | undefined {
  const like = (word: string): C | undefined => clips.find((c) => c.name.toLowerCase().includes(word));
  return like("idle") ?? like("walk") ?? clips[0];
}
