package signal

import (
	"fmt"
	"slices"
	"testing"
)

func TestEachSlotHasOneOwner(t *testing.T) {
	live := make([]string, 20)
	for i := range live {
		live[i] = fmt.Sprintf("node-%d", i)
	}
	won := map[string]int{}
	const slots = 2000
	for slot := range int64(slots) {
		owners := slices.DeleteFunc(slices.Clone(live), func(n string) bool { return !Owns(n, live, Key(slot%7), slot) })
		if len(owners) != 1 {
			t.Fatalf("slot %d: owners %v, want one", slot, owners)
		}
		won[owners[0]]++
	}
	for _, n := range live {
		if won[n] < slots/20/2 || won[n] > slots/20*2 {
			t.Errorf("%s owns %d of %d slots, want about %d", n, won[n], slots, slots/20)
		}
	}
}

func TestLosingANodeMovesOnlyItsSlots(t *testing.T) {
	live := []string{"a", "b", "c", "d"}
	for slot := range int64(500) {
		for _, n := range live[:3] {
			if Owns(n, live, 9, slot) && !Owns(n, live[:3], 9, slot) {
				t.Fatalf("slot %d moves away from %s when d goes", slot, n)
			}
		}
	}
}

func TestOwnerIsAmongTheLive(t *testing.T) {
	if !Owns("a", nil, 1, 1) || !Owns("a", []string{"a"}, 1, 1) {
		t.Error("a node that is alone does not own the slot, want it to")
	}
	if Owns("z", []string{"a", "b"}, 1, 1) {
		t.Error("a node that is not in the live set owns the slot, want not")
	}
}
