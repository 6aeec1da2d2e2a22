"""What the side panel shows, one file a panel: measured data in, styled lines out."""
